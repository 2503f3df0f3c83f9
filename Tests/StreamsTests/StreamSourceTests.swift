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
            return scene.warnings(of: request, room: "r1", others: [], new: 1)
        }
        #expect(warnings("").count == 1)
        #expect(warnings("whep:https://example.org/live").isEmpty)
    }
}
