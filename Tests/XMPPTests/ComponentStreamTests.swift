import Testing
import XML

@testable import XMPP

@Suite struct ComponentStreamTests {
    private static let root =
        "<stream:stream xmlns='jabber:component:accept' xmlns:stream='http://etherx.jabber.org/streams' from='focus.d' id='3BF96D32'>"

    private func orders(
        _ stream: inout ComponentStream, _ text: String
    ) throws -> [ComponentStream.Order] {
        var orders: [ComponentStream.Order] = []
        for byte in text.utf8 { try stream.received([byte]) { orders.append($0) } }
        return orders
    }

    private func opened() throws -> ComponentStream {
        var stream = ComponentStream(domain: "focus.d", secret: "secret")
        #expect(
            try orders(&stream, Self.root + "<handshake/>") == [
                .send("<handshake>b09ea9b3b7f586be8a08d0a3dd7466f110aeb136</handshake>"), .ready,
            ])
        return stream
    }

    @Test func theSecretIsProvedAndNotTold() throws {
        let stream = try opened()
        #expect(stream.isOpen)
        #expect(stream.opening.hasSuffix("to='focus.d'>"))
        #expect(!stream.opening.contains("secret"))
    }

    @Test func stanzasAreThoseOfClientsOnOurSide() throws {
        var stream = try opened()
        let found = try orders(
            &stream,
            "<message from='a@d' to='b@focus.d'><body>hi</body><x xmlns='urn:x'><y/></x></message>")
        #expect(
            found == [
                .stanza(
                    XMLElement(
                        "message", "jabber:client", ["from": "a@d", "to": "b@focus.d"],
                        [
                            XMLElement("body", "jabber:client", text: "hi"),
                            XMLElement("x", "urn:x", [:], [XMLElement("y", "urn:x")]),
                        ]))
            ])
        let stanza = XMLElement(
            "message", "jabber:client", ["to": "a@d"],
            [XMLElement("body", "jabber:client", text: "hi")])
        #expect(stream.text(stanza) == "<message to='a@d'><body>hi</body></message>")
    }

    @Test func aWrongSecretEndsTheStream() throws {
        var stream = ComponentStream(domain: "focus.d", secret: "wrong")
        let error =
            "<stream:error><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
        #expect(throws: StreamFailure.refused(condition: "not-authorized", text: nil)) {
            try orders(&stream, Self.root + error)
        }
    }

    @Test func nothingIsTakenBeforeTheHandshake() throws {
        var stream = ComponentStream(domain: "focus.d", secret: "secret")
        #expect(throws: StreamFailure.unexpected("<iq> before the handshake")) {
            try orders(&stream, Self.root + "<iq/>")
        }
        var other = ComponentStream(domain: "focus.d", secret: "secret")
        #expect(throws: StreamFailure.unexpected("a stream without an id")) {
            try orders(&other, Self.root.replacing(" id='3BF96D32'", with: ""))
        }
    }

    @Test func theServersEndIsTold() throws {
        var stream = try opened()
        #expect(try orders(&stream, "</stream:stream>") == [.closed])
    }
}
