import MediaKernel
import Testing
import XML

@testable import XMPP

@Suite struct StanzaTests {
    @Test func addressesAreTakenApart() throws {
        let address = try #require(JID("Anna@Rooms.Example./a@b/c"))
        #expect(address.local == "anna" && address.domain == "rooms.example")
        #expect(address.resource == "a@b/c" && "\(address.bare)" == "anna@rooms.example")
        #expect(JID("focus.example")?.local == nil && JID("a@[::1]")?.domain == "[::1]")
        let longest = String(repeating: "x", count: 1023)
        #expect(JID("\(longest)@\(longest)/\(longest)") != nil)
    }

    @Test(arguments: [
        "", "@", "@a", "a@", "a/", "a@b/", "a@b@c", "a b@c", "a@b c", "a:b@c", "a'b@c", "a@b<",
        "a@b/\u{7}", String(repeating: "x", count: 1024), ".",
    ])
    func whatIsNoAddressIsNil(text: String) { #expect(JID(text) == nil) }

    @Test func onlyTheOneWhoWasAskedMayAnswer() throws {
        let room = try #require(JID("focus.example"))
        var requests = PendingRequests()
        requests.own = JID("a@b/c")
        let request = requests.ask(
            .get, XMLElement("q", "urn:q"), to: room, until: .zero + .seconds(5))
        let asked = try #require(request)
        for (from, type) in [
            ("other.example", "result"), (nil, "result"), ("focus.example/x", "error"),
            ("focus.example", "set"),
        ] {
            let forged = XMLElement(
                "iq", "jabber:client", ["type": type, "id": asked.id, "from": from])
            #expect(requests.answered(forged) == nil)
        }
        let answer = XMLElement(
            "iq", "jabber:client", ["type": "result", "id": asked.id, "from": "focus.example"],
            [XMLElement("p", "urn:q")])
        let found = requests.answered(answer)
        #expect(found?.id == asked.id && found?.outcome == .result(XMLElement("p", "urn:q")))
        #expect(requests.answered(answer) == nil)
    }

    @Test func ourAccountAnswersUnderEachOfItsNames() throws {
        for (from, isAnswer) in [
            (nil, true), ("a@b", true), ("a@b/c", true), ("b", false), ("a@b/d", false),
        ] {
            var requests = PendingRequests()
            requests.own = JID("a@b/c")
            let request = requests.ask(.get, XMLElement("q", "urn:q"), to: nil, until: .zero)
            let asked = try #require(request)
            let answer = XMLElement(
                "iq", "jabber:client", ["type": "result", "id": asked.id, "from": from])
            #expect((requests.answered(answer) != nil) == isAnswer, "\(from ?? "nil")")
        }
    }

    @Test func requestsEndAtTheirDeadlinesAndAreLimited() {
        var requests = PendingRequests()
        for index in 0..<PendingRequests.maximum {
            let deadline = Instant.zero + .seconds(index + 1)
            #expect(requests.ask(.get, XMLElement("q", ""), to: nil, until: deadline) != nil)
        }
        #expect(requests.ask(.get, XMLElement("q", ""), to: nil, until: .zero) == nil)
        #expect(requests.nextDeadline == .zero + .seconds(1))
        #expect(requests.timedOut(.zero).isEmpty)
        #expect(requests.timedOut(.zero + .seconds(2)) == ["r1", "r2"])
        #expect(requests.removeAll().count == PendingRequests.maximum - 2)
        #expect(requests.nextDeadline == nil)
    }

    @Test func requestsAreAnsweredToTheirSender() throws {
        let stanza = try XMLStreamReader.element(
            "<iq xmlns='jabber:client' type='get' id='7' from='a@b/c'><q xmlns='urn:q'/></iq>")
        let request = try #require(Request(stanza))
        #expect(
            request.result().xml(in: "jabber:client") == "<iq type='result' id='7' to='a@b/c'/>")
        let refusal = request.refusal(StanzaError("item-not-found", .cancel, text: "no"))
        #expect(StanzaError(of: refusal) == StanzaError("item-not-found", .cancel, text: "no"))
        for wrong in [
            "<iq xmlns='jabber:client' type='get' id='7'/>",
            "<iq xmlns='jabber:client' type='get'><q/></iq>",
            "<iq xmlns='jabber:client' type='result' id='7'><q/></iq>",
            "<iq xmlns='jabber:client' type='get' id='7' from='@'><q/></iq>",
        ] {
            #expect(Request(try XMLStreamReader.element(wrong)) == nil)
        }
    }

    @Test func anErrorWithoutItsPartsIsAnErrorToo() {
        let error = StanzaError(of: XMLElement("iq", "jabber:client", ["type": "error"]))
        #expect(error == StanzaError("undefined-condition", .cancel))
    }

    @Test func aServersWordsAreShortened() {
        let words = String(repeating: "a", count: 1000)
        let stanza = StanzaError("item-not-found", .cancel, text: words).element
        let error = StanzaError(of: XMLElement("iq", "jabber:client", [:], [stanza]))
        #expect(error.text?.count == 256)
        let failure = StreamFailure(
            of: XMLElement(
                "error", "http://etherx.jabber.org/streams", [:],
                [
                    XMLElement("reset", "urn:ietf:params:xml:ns:xmpp-streams"),
                    XMLElement("text", "urn:ietf:params:xml:ns:xmpp-streams", text: words),
                ]))
        #expect(failure == .refused(condition: "reset", text: String(words.prefix(256))))
    }

    @Test func waitsGrowToTheirBound() {
        var backoff = Backoff()
        var random = SeededRandom(seed: 1)
        for bound in [1, 2, 4, 8, 16, 32, 60, 60] {
            let wait = backoff.next(using: &random)
            #expect(wait <= .seconds(bound) && wait * 2 >= .seconds(bound))
        }
        backoff.reset()
        #expect(backoff.next(using: &random) <= .seconds(1))
    }
}
