import MediaClient
import MediaKernel
import SDP
import Testing

/// A server of strangers does not decide what we send to in our own network.
@Suite struct ServerReachTests {
    private static func reach(_ hosts: String...) -> ServerReach {
        ServerReach(hosts.compactMap { TransportAddress($0, port: 0) })
    }

    private static func candidate(_ host: String) -> String {
        "candidate:1 1 udp 2122260223 \(host) 50000 typ host"
    }

    @Test(arguments: [
        // On the web, of which the last has an address of its network too.
        (reach("203.0.113.7"), ["8.8.8.8"]),
        (reach("203.0.113.7", "10.0.0.7"), ["8.8.8.8"]),
        (reach(), ["8.8.8.8"]),
        // In a private network, or on this machine.
        (reach("10.0.0.7"), ["8.8.8.8", "10.0.0.7", "192.168.1.9", "172.17.0.1"]),
        (reach("192.168.1.9", "2a01::1"), ["8.8.8.8", "10.0.0.7", "192.168.1.9", "172.17.0.1"]),
        (
            reach("127.0.0.1", "::1"),
            ["8.8.8.8", "10.0.0.7", "192.168.1.9", "172.17.0.1", "127.0.0.1"]
        ),
        (reach("::1"), ["8.8.8.8", "10.0.0.7", "192.168.1.9", "172.17.0.1", "127.0.0.1"]),
        (reach("169.254.7.7"), ["8.8.8.8", "169.254.7.7"]),
    ])
    func whereAServerIsDecidesWhatItMayName(reach: ServerReach, admitted: [String]) {
        let all = [
            "8.8.8.8", "10.0.0.7", "192.168.1.9", "172.17.0.1", "127.0.0.1", "169.254.7.7",
            "169.254.169.254", "224.0.0.251", "0.0.0.0", "255.255.255.255",
        ]
        #expect(all.filter { reach.admits(candidate: Self.candidate($0)) } == admitted)
    }

    @Test func aServerBehindATranslationOfAddressesKeepsItsPublicOnes() throws {
        var description = try SessionDescription.parse(
            """
            v=0\r
            o=- 1 1 IN IP4 0.0.0.0\r
            s=-\r
            t=0 0\r
            m=audio 9 UDP/TLS/RTP/SAVPF 111\r
            c=IN IP4 0.0.0.0\r
            a=mid:0\r
            a=rtpmap:111 opus/48000/2\r
            """)
        let (near, far) = (Self.candidate("192.168.1.9"), Self.candidate("8.8.8.8"))
        description.media[0].ice.candidates = [near, "candidate:of no use", far, near]
        let (kept, refused) = Self.reach("203.0.113.7").admitted(description)
        #expect(kept.media[0].ice.candidates == ["candidate:of no use", far] && refused == near)
        let (all, none) = Self.reach("192.168.1.1").admitted(description)
        #expect(all == description && none == nil)
    }

    @Test func addressesNeedNoName() async {
        #expect(await ServerReach.found("127.0.0.1") == Self.reach("127.0.0.1"))
        #expect(await ServerReach.found("") == ServerReach())
    }
}
