import ControlAPI
import MediaKernel
import Testing

@testable import Service

@Suite struct TURNRelayTests {
    @Test(arguments: [
        "turn:relay.example.org", "turn:relay.example.org:3478",
        "turns:relay.example.org:443?transport=tcp", "turn:203.0.113.5?transport=udp",
        "turn:[2001:db8::5]:3478", "turns:[2001:db8::5]",
    ])
    func whatBrowsersTakeIsTaken(url: String) {
        #expect(TURNRelay.isURL(url))
    }

    @Test(arguments: [
        "", "turn:", "turn", "stun:relay.example.org", "turn://relay.example.org", "turn::3478",
        "turn:relay.example.org:", "turn:relay.example.org:0", "turn:relay.example.org:65536",
        "turn:relay.example.org:+1", "turn:relay.example.org?", "turn:relay.example.org?transport=",
        "turn:relay.example.org?transport=tls", "turn:user@relay.example.org",
        "turn:relay example.org", "turn:[2001:db8::5", "turn:[203.0.113.5]", "turn:[]",
        "turn:[2001:db8::5]x", "turn:2001:db8::5",
    ])
    func whatBrowsersWouldRefuseIsRefused(url: String) {
        #expect(!TURNRelay.isURL(url))
    }

    @Test func aPeerIsGivenACredentialThatEnds() {
        let relay = TURNRelay(
            urls: ["turn:relay.example.org"], secret: "a secret of 20 bytes", lifetime: .seconds(60)
        )
        let server = relay.server(for: "p1", at: UnixTime(seconds: 1_770_091_506))
        #expect(server.urls == ["turn:relay.example.org"])
        #expect(server.username == "1770091566:p1")
        #expect(server.credential == "nH4yvThhioKEtkIKyCrarOZArj4=")
    }
}
