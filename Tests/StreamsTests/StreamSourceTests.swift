import MediaKernel
import Streams
import Testing

/// The meeting URLs that name a source.
@Suite struct StreamSourceTests {
    @Test(
        arguments: [
            ("whep:https://example.org/live/1?key=2", "https://example.org/live/1?key=2", nil),
            ("WHEP:http://127.0.0.1:8080/whep/room", "http://127.0.0.1:8080/whep/room", nil),
            (
                "whep:https://a.b-c_d~+=@example.org:8443/", "https://example.org:8443/",
                "a.b-c_d~+="
            ),
        ] as [(String, String, String?)])
    func aSourceHasAnEndpointAndMayHaveAToken(url: String, endpoint: String, token: String?) throws
    {
        let source = try #require(WHEPSource(meetingURL: url))
        #expect(source.endpoint.text == endpoint && source.token == token)
        let variant = LiveStreamVariant(meetingURL: url)
        #expect(variant.source == .whep(source))
        let shown = "whep:\(endpoint.prefix { $0 != "?" })"
        #expect(variant.shownURL == shown, "nobody is shown the token, or a key in the query")
    }

    @Test(arguments: [
        "", "whep", "whep:", "whep:example.org", "whep:ftp://example.org/", "whep:https://",
        "whep:https://@example.org/", "whep:https://a b@example.org/", "whep:https://[::1]/",
        "whep:https://one@two@example.org/", "whep:https://a%20b@example.org/",
        "whep:https://example.org:0/", "whep:https://example.org\\@evil.net/",
        "https://example.org/live", "whip:https://example.org/live",
    ])
    func anythingElseIsNone(url: String) {
        let variant = LiveStreamVariant(meetingURL: url)
        #expect(variant.source == nil && variant.shownURL == url)
    }

    @Test(
        arguments: [
            (
                "openvidu:wss://example.org/openvidu?sessionId=ses_A1b2",
                "wss://example.org/openvidu", "ses_A1b2", "example.org"
            ),
            (
                "OpenVidu:ws://127.0.0.1:4443/?sessionId=a.b-c~", "ws://127.0.0.1:4443/openvidu",
                "a.b-c~", "127.0.0.1:4443"
            ),
            (
                "openvidu:wss://example.org:443?sessionId=r", "wss://example.org:443/openvidu",
                "r", "example.org"
            ),
        ] as [(String, String, String, String)])
    func aSessionHasASocketAndAServer(
        url: String, socket: String, session: String, server: String
    ) throws {
        let source = try #require(OpenViduSource(meetingURL: url))
        #expect(source.socket == socket && source.session == session && source.server == server)
        let variant = LiveStreamVariant(meetingURL: url)
        #expect(variant.source == .openVidu(source))
        #expect(variant.shownURL == "openvidu:\(socket)?sessionId=\(session)")
    }

    @Test(arguments: [
        "openvidu:", "openvidu:wss://example.org/openvidu",
        "openvidu:https://example.org/?sessionId=a",
        "openvidu:wss://?sessionId=a", "openvidu:wss://example.org/?sessionId=",
        "openvidu:wss://example.org/?sessionId=a&token=tok_A",
        "openvidu:wss://example.org/?token=a&sessionId=b",
        "openvidu:wss://example.org/?sessionId=a&secret=b",
        "openvidu:wss://name@example.org/?sessionId=a", "openvidu:wss://[::1]/?sessionId=a",
        "openvidu:wss://example.org/?sessionId=a%20b", "openvidu:wss://example.org/?sessionId=a#b",
        "openvidu:wss://example.org:0/?sessionId=a", "openvidu:wss://example.org/#?sessionId=a",
    ])
    func anythingElseIsNoSession(url: String) {
        #expect(OpenViduSource(meetingURL: url) == nil)
        #expect(LiveStreamVariant(meetingURL: url).source == nil)
    }

    @Test func whatAdmitsUsIsFoundByServerAndSession() throws {
        let servers = try JSONDocument.decode(
            OpenViduServers.self,
            from:
                #"{"example.org":{"secret":"s","tokens":{"b":"tok_b"}},"far.org:443":{"secret":"f"}}"#
                .utf8)
        #expect(servers.fault == nil)
        func credential(_ place: String, _ session: String) throws -> OpenViduCredential? {
            let url = "openvidu:wss://\(place)/openvidu?sessionId=\(session)"
            return servers.credential(for: try #require(OpenViduSource(meetingURL: url)))
        }
        #expect(try credential("example.org", "a") == .secret("s"))
        #expect(try credential("example.org:443", "b") == .token("tok_b"))
        #expect(try credential("far.org", "a") == .secret("f"))
        #expect(try credential("example.org:4443", "a") == nil)
        for credential in [OpenViduCredential.secret("a:b"), .token("c")] {
            #expect(OpenViduCredential(credential.text) == credential)
        }
        #expect(OpenViduCredential("eyJ.x.y") == nil && OpenViduCredential("secret:") == nil)
    }

    @Test(
        arguments: [
            ("jitsi:https://meet.example.org/Team%20Room", "team%20room", nil, "meet.example.org"),
            ("Jitsi:https://Meet.example.org:8443/a.b-c", "a.b-c", nil, "meet.example.org:8443"),
            ("jitsi:https://example.org:443/Acme/r", "r", "acme", "example.org"),
            // Jitsi Meet's own names: compatibility forms, small letters, escapes in small letters.
            ("jitsi:https://example.org/%C3%84rzte%EF%BC%91", "%c3%a4rzte1", nil, "example.org"),
        ] as [(String, String, String?, String)])
    func aConferenceHasARoomAndADeployment(
        url: String, room: String, tenant: String?, deployment: String
    ) throws {
        let source = try #require(JitsiSource(meetingURL: url))
        #expect(source.room == room && source.tenant == tenant)
        #expect(source.deployment == deployment)
        let variant = LiveStreamVariant(meetingURL: url)
        #expect(variant.source == .jitsi(source))
        #expect(variant.shownURL == "jitsi:\(source.address.text)")
    }

    @Test(arguments: [
        "jitsi:", "jitsi:https://example.org", "jitsi:https://example.org/",
        "jitsi:wss://example.org/r", "jitsi:https://example.org/a/b/c",
        "jitsi:https://example.org//r", "jitsi:https://example.org/r/",
        "jitsi:https://example.org/a.b/r", "jitsi:https://name@example.org/r",
        "jitsi:https://example.org/r?jwt=eyJ.x.y", "jitsi:https://example.org/r#config.a=true",
        "jitsi:https://example.org/it's", "jitsi:https://example.org/%ff",
        "jitsi:https://example.org/%00",
        "jitsi:https://example.org/" + String(repeating: "a", count: 513),
    ])
    func anythingElseIsNoConference(url: String) {
        #expect(JitsiSource(meetingURL: url) == nil)
        #expect(LiveStreamVariant(meetingURL: url).source == nil)
    }

    @Test func aPageIsWhatOnlyTheServerCanTell() {
        let url = "https://example.org/board?key=1#top"
        let page = LiveStreamVariant(meetingURL: url, isPage: true)
        #expect(page.source == WebAddress(url).map(StreamSource.page))
        #expect(page.shownURL == "https://example.org/board")
        #expect(LiveStreamVariant(meetingURL: url).source == nil)
    }

    @Test func aRequestForAnotherSourceIsNotAnsweredWithTheStreamThereIs() {
        let url = "whep:https://example.org/live"
        let request = LiveStreamRequest(variants: [LiveStreamVariant(meetingURL: url)])
        func stream(_ url: String) -> LiveStream {
            LiveStream(
                id: "s1", room: "r1", session: nil,
                plan: StreamPlan(variant: LiveStreamVariant(meetingURL: url)),
                createdAt: UnixTime(milliseconds: 0), startedBy: "")
        }
        #expect(request.lack(of: stream(url)) == nil)
        #expect(request.lack(of: stream("")) == "of another source")
        #expect(LiveStreamRequest().lack(of: stream(url)) == "of another source")
        #expect(LiveStreamRequest().lack(of: stream("https://here/rooms/r1")) == nil)
    }

    @Test func aSourceNeedsNoRoom() {
        let scene = StreamScene(isKnown: false)
        func warnings(_ url: String) -> [String] {
            let request = LiveStreamRequest(variants: [LiveStreamVariant(meetingURL: url)])
            return scene.warnings(of: request, room: "r1", destination: "", others: [], new: 1)
        }
        #expect(warnings("").count == 1)
        #expect(warnings("whep:https://example.org/live").isEmpty)
    }
}
