import Testing

@testable import ClientConnections

@Suite struct TLSClientTests {
    @Test(arguments: ["192.0.2.1", "2001:db8::1", "rooms.example", "meet.example"])
    func addressesAreNoNames(name: String) throws {
        // A literal as the server's name would be refused.
        _ = try TLSClient(.anyone).handler(for: name)
    }

    @Test func aFileWithoutAuthoritiesIsRefused() {
        #expect(throws: (any Error).self) {
            try TLSClient(.authorities(file: "/nonexistent/authorities.pem"))
        }
    }
}
