import Foundation
import MediaKernel
import RemoteRoom
import Testing

@testable import WHIP

@Suite("A client's exchange with a WHIP endpoint")
struct WHIPExchangeTests {
    private static let endpoint = "https://live.example/whip/a?key=1"

    private func exchange(_ endpoint: String = endpoint) throws -> WHIPExchange {
        try WHIPExchange(endpoint: endpoint, token: "secret")
    }

    private func response(
        _ status: Int, location: String? = nil, type: String? = "application/sdp",
        retryAfter: String? = nil, body: String = "v=0"
    ) -> WHIPExchange.Response {
        .init(
            status: status, location: location, contentType: type, retryAfter: retryAfter,
            body: body)
    }

    @Test(arguments: ["", "whip", "ftp://live.example/", "https:///whip"])
    func anEndpointIsAnHTTPAddress(text: String) {
        #expect(throws: RoomEnd.badEndpoint(text)) {
            try WHIPExchange(endpoint: text, token: nil)
        }
    }

    @Test func anOfferIsPostedAndTheSessionDeleted() throws {
        var exchange = try exchange()
        let offer = exchange.offer("v=0 offer")
        #expect(offer.method == .post && offer.url.absoluteString == Self.endpoint)
        #expect(offer.bearer == "secret" && offer.body == "v=0 offer")
        let early = exchange.end()
        #expect(early == nil, "there is no session yet")
        let step = exchange.received(response(201, location: "/sessions/1"))
        #expect(step == .answered("v=0"))
        let ended = exchange.end()
        let end = try #require(ended)
        #expect(end.method == .delete && end.body == nil && end.bearer == "secret")
        #expect(end.url.absoluteString == "https://live.example/sessions/1")
        let again = exchange.end()
        #expect(again == nil, "once")
    }

    @Test(arguments: [
        ("https://live.example/s/1", "https://live.example/s/1"),
        ("s/1", "https://live.example/whip/s/1"), ("//other.example/s", "https://other.example/s"),
    ])
    func theSessionsAddressIsResolved(location: String, url: String) throws {
        var exchange = try exchange()
        _ = exchange.offer("")
        _ = exchange.received(response(201, location: location))
        let ended = exchange.end()
        let end = try #require(ended)
        #expect(end.url.absoluteString == url)
        #expect((end.bearer == nil) == url.contains("other"), "the token is for its origin")
    }

    @Test(arguments: [nil, "", "ftp://live.example/s", "http://"] as [String?])
    func aSessionWithoutAnAddressIsRefused(location: String?) throws {
        var exchange = try exchange()
        _ = exchange.offer("")
        guard case .over(.protocolViolation) = exchange.received(response(201, location: location))
        else {
            // An empty reference is the endpoint itself: RFC 3986 sect. 5.2.2.
            #expect(location == "")
            return
        }
    }

    @Test(arguments: ["application/sdp", "Application/SDP; charset=utf-8", nil] as [String?])
    func theAnswersTypeIsReadLeniently(type: String?) throws {
        var exchange = try exchange()
        _ = exchange.offer("")
        let step = exchange.received(response(201, location: "/s", type: type))
        #expect(step == .answered("v=0"))
    }

    @Test func anAnswerOfAnotherTypeEndsTheSession() throws {
        var exchange = try exchange()
        _ = exchange.offer("")
        let step = exchange.received(response(201, location: "/s", type: "text/html"))
        #expect(step == .over(.protocolViolation("the answer is text/html, not application/sdp")))
        let end = exchange.end()
        #expect(end != nil)
    }

    @Test(arguments: [307, 308])
    func theOfferFollowsTheServer(status: Int) throws {
        var exchange = try exchange()
        _ = exchange.offer("v=0 offer")
        guard case .ask(let same) = exchange.received(response(status, location: "/b")) else {
            Issue.record("not followed")
            return
        }
        #expect(same.method == .post && same.body == "v=0 offer" && same.bearer == "secret")
        #expect(same.url.absoluteString == "https://live.example/b")
        let other = response(status, location: "https://edge.example:8443/c")
        guard case .ask(let next) = exchange.received(other) else {
            Issue.record("not followed")
            return
        }
        #expect(next.bearer == nil, "the token is for its origin")
        _ = exchange.received(response(201, location: "/s/1"))
        let end = exchange.end()
        #expect(end?.url.absoluteString == "https://edge.example:8443/s/1")
    }

    /// Its place decides which addresses it may name.
    @Test func theServerIsTheOneThatHasTheSession() throws {
        var exchange = try exchange()
        #expect(exchange.host == "live.example")
        _ = exchange.offer("v=0")
        _ = exchange.received(response(307, location: "https://[2001:db8::7]:8443/whip"))
        _ = exchange.received(response(201, location: "/sessions/1"))
        #expect(exchange.host == "2001:db8::7")
    }

    @Test func redirectionsHaveAnEnd() throws {
        var exchange = try exchange()
        _ = exchange.offer("")
        for _ in 0..<WHIPExchange.redirectsMaximum {
            _ = exchange.received(response(307, location: "/b"))
        }
        let step = exchange.received(response(307, location: "/b"))
        #expect(step == .over(.protocolViolation("more than 5 redirections")))
    }

    @Test(arguments: [301, 302, 303, 200, 204, 100])
    func otherStatusesAreNoneOfWHIP(status: Int) throws {
        var exchange = try exchange()
        _ = exchange.offer("")
        let step = exchange.received(response(status, location: "/b"))
        #expect(step == .over(.protocolViolation("the server answered with \(status)")))
    }

    @Test(arguments: [
        (#"{"title":"Forbidden","detail":"no such key"}"#, "no such key"),
        (#"{"code":401,"message":"token expired"}"#, "token expired"), ("nope\r\nmore", "nope"),
        ("", "no reason given"),
        (String(repeating: "x", count: 900), String(repeating: "x", count: 200)),
        ("Bearer secret is not valid", "Bearer … is not valid"),
        (String(repeating: "x", count: 197) + "secret", String(repeating: "x", count: 197) + "…"),
    ])
    func aRefusalSaysWhy(body: String, words: String) throws {
        var exchange = try exchange()
        _ = exchange.offer("")
        let step = exchange.received(response(403, type: "application/problem+json", body: body))
        #expect(step == .over(.refused(code: 403, message: words)))
    }

    @Test(
        arguments: [
            ("7", 7), (nil, 1), ("0", 1), ("-3", 1), ("86400", 60),
            ("Fri, 27 Nov 2026 12:00:00 GMT", 1),
            ("99999999999999999999", 1),
        ] as [(String?, Int)])
    func aBusyServerIsAskedAgain(retryAfter: String?, seconds: Int) throws {
        for status in [429, 503] {
            var exchange = try exchange()
            _ = exchange.offer("")
            let step = exchange.received(response(status, retryAfter: retryAfter))
            #expect(step == .again(after: .seconds(seconds)))
        }
    }

    @Test func aServerInTroubleIsUnreachable() throws {
        var exchange = try exchange()
        _ = exchange.offer("")
        let step = exchange.received(response(502))
        #expect(step == .over(.unreachable("status 502")))
    }

    // MARK: - Playing

    private func playing(hosts: [String] = ["live.example"]) throws -> WHIPExchange {
        try WHIPExchange(
            endpoint: Self.endpoint, token: "secret", purpose: .playing,
            hosts: WebHosts(hosts, allowsHTTP: true))
    }

    @Test(arguments: [404, 409])
    func aSourceThatIsNotOnAirIsAskedAgain(status: Int) throws {
        var exchange = try playing()
        _ = exchange.offer("")
        let refusal = response(status, retryAfter: "5")
        #expect(exchange.received(refusal) == .again(after: .seconds(5)))
        #expect(
            exchange.lackOfPatience(after: refusal)
                == .unreachable("nothing is on air there (status \(status))"))
        var publishing = try self.exchange()
        _ = publishing.offer("")
        #expect(
            publishing.received(refusal) == .over(.refused(code: status, message: "v=0")))
    }

    @Test func aCounterOfferIsAnsweredWithAPatch() throws {
        var exchange = try playing()
        _ = exchange.offer("v=0 ours")
        let early = exchange.answer("v=0")
        #expect(early == nil, "there is no session yet")
        let step = exchange.received(response(406, location: "/s/1", body: "v=0 theirs"))
        #expect(step == .countered("v=0 theirs"))
        let made = exchange.answer("v=0 answer")
        let answer = try #require(made)
        #expect(answer.method == .patch && answer.bearer == "secret")
        #expect(answer.url.absoluteString == "https://live.example/s/1")
        #expect(exchange.received(response(204)) == .accepted)
        #expect(exchange.received(response(400)) == .over(.refused(code: 400, message: "v=0")))
        let ended = exchange.end()
        #expect(ended?.method == .delete)
    }

    @Test func aRefusalWithoutASessionIsNoCounterOffer() throws {
        var exchange = try playing()
        _ = exchange.offer("")
        #expect(exchange.received(response(406)) == .over(.refused(code: 406, message: "v=0")))
        var publishing = try self.exchange()
        _ = publishing.offer("")
        #expect(
            publishing.received(response(406, location: "/s"))
                == .over(.refused(code: 406, message: "v=0")))
        #expect(
            publishing.received(response(204))
                == .over(.protocolViolation("the server answered with 204")))
    }

    @Test func noOtherHostIsAskedThanThoseThatMayBe() throws {
        let refusal = RoomEnd.failed("evil.example is not one of the hosts that may be asked")
        for status in [201, 307, 406] {
            var exchange = try playing()
            _ = exchange.offer("")
            let step = exchange.received(response(status, location: "https://evil.example/s"))
            #expect(step == .over(refusal))
            let ended = exchange.end()
            #expect(ended == nil, "nor is a session there deleted")
        }
        var exchange = try playing()
        _ = exchange.offer("")
        guard
            case .over(.failed) = exchange.received(
                response(307, location: "http://live.example/s"))
        else {
            Issue.record("TLS is not given up")
            return
        }
        var own = try playing()
        _ = own.offer("")
        let step = own.received(response(307, location: "https://live.example:443/s"))
        guard case .ask(let next) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(next.bearer == "secret", "the same origin")
        #expect {
            try playing(hosts: ["other.example"])
        } throws: { error in
            if case RoomEnd.failed = error { true } else { false }
        }
        #expect {
            try playing(hosts: [])
        } throws: { error in
            if case RoomEnd.failed = error { true } else { false }
        }
    }
}
