import MediaKernel
import Testing

@Suite struct TransportAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("fd00:0:0:0::2", "fd00::2"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("::", "::"),
        ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("::FFFF:192.0.2.1", "192.0.2.1"),
        ("::ffff:0:c000:201", "::ffff:0:c000:201"),
    ])
    func parsesAndRendersCanonically(text: String, canonical: String) throws {
        #expect(try #require(TransportAddress(text, port: 1)).host == canonical)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.256", "1.2.3.4.5", "host.local", "1::2::3", ":::", "12345::",
    ])
    func refusesWhatIsNoAddress(text: String) {
        #expect(TransportAddress(text, port: 1) == nil)
    }

    @Test func whatRunsThereBelongsToTheAddress() throws {
        let udp = TransportAddress(ipv4: 192, 0, 2, 1, port: 7)
        #expect(udp.description == "192.0.2.1:7")
        #expect(udp.over(.tcp) != udp && udp.over(.tcp).over(.udp) == udp)
        let tcp = try #require(TransportAddress("fd00::2", port: 7, transport: .tcp))
        #expect(tcp.description == "[fd00::2]:7/tcp")
    }
}
