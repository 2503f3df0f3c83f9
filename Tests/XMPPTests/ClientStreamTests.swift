import Testing
import XML

@testable import XMPP

@Suite struct ClientStreamTests {
    static let root =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0' id='1'>"
    static let sasl = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
    static let tls = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
    static let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
    static let bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"

    static func features(_ inside: String) -> String {
        "<stream:features>\(inside)</stream:features>"
    }

    static func mechanisms(_ names: String...) -> String {
        "<mechanisms \(sasl)>\(names.map { "<mechanism>\($0)</mechanism>" }.joined())</mechanisms>"
    }

    static let bound =
        "<iq type='result' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>u@d/r</jid></bind></iq>"

    private func stream(
        _ credentials: Credentials = .account(user: "u", password: "p"), plain: Bool = false,
        _ carrier: StreamSettings.Carrier = .tcp, encrypted: Bool = false
    ) -> ClientStream {
        ClientStream(
            StreamSettings(
                domain: "d", credentials: credentials, carrier: carrier, isEncrypted: encrypted,
                mayBePlain: plain), nonce: "nonce")
    }

    private func orders(
        _ stream: inout ClientStream, _ text: String
    ) throws -> [ClientStream.Order] {
        var orders: [ClientStream.Order] = []
        for byte in text.utf8 { try stream.received([byte]) { orders.append($0) } }
        return orders
    }

    @Test func tlsThenPlainThenAResource() throws {
        var stream = stream()
        var found = try orders(
            &stream, Self.root + Self.features(Self.tls + Self.mechanisms("PLAIN")))
        #expect(found == [.send(Self.tls)])
        #expect(try orders(&stream, Self.proceed) == [.startTLS])
        #expect(stream.secured() == [.send(stream.opening)])
        found = try orders(&stream, Self.root + Self.features(Self.mechanisms("PLAIN")))
        #expect(
            found == [
                .send(
                    "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AHUAcA==</auth>"
                )
            ])
        #expect(try orders(&stream, "<success \(Self.sasl)/>") == [.send(stream.opening)])
        found = try orders(&stream, Self.root + Self.features(Self.bind))
        #expect(found == [.send("<iq type='set' id='bind'>\(Self.bind)</iq>")])
        #expect(try orders(&stream, Self.bound) == [.ready(try #require(JID("u@d/r")))])
        #expect(
            try orders(&stream, "<message/><other/></stream:stream>")
                == [.stanza(XMLElement("message", "jabber:client")), .closed])
    }

    @Test func whatFollowsProceedWithoutTLSIsRefused() throws {
        for more in ["<a/>", " ", "<"] {
            var stream = stream()
            _ = try orders(&stream, Self.root + Self.features(Self.tls))
            #expect(throws: StreamFailure.unexpected("bytes before TLS")) {
                try stream.received((Self.proceed + more).utf8) { _ in }
            }
        }
    }

    @Test func withoutTLSNothingIsSentUnlessAllowed() throws {
        var careful = stream()
        #expect(throws: StreamFailure.unencrypted) {
            try orders(&careful, Self.root + Self.features(Self.mechanisms("PLAIN")))
        }
        var local = stream(plain: true)
        #expect(
            try orders(&local, Self.root + Self.features(Self.mechanisms("PLAIN"))).count == 1)
    }

    @Test func theStrongestMechanismIsTaken() throws {
        for (offered, taken) in [
            (["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256"], "SCRAM-SHA-256"),
            (["PLAIN", "SCRAM-SHA-1"], "SCRAM-SHA-1"), (["PLAIN", "ANONYMOUS"], "PLAIN"),
        ] {
            let attempt = try Authentication(
                .account(user: "u", password: "p"), offered: offered, mayShowPassword: true,
                nonce: "n")
            #expect(attempt.start["mechanism"] == taken)
        }
        #expect(throws: AuthenticationFailure.noMechanism(offered: ["PLAIN"])) {
            try Authentication(
                .account(user: "u", password: "p"), offered: ["PLAIN"], mayShowPassword: false,
                nonce: "n")
        }
        #expect(throws: AuthenticationFailure.noMechanism(offered: ["PLAIN"])) {
            try Authentication(
                .anonymous, offered: ["PLAIN"], mayShowPassword: true, nonce: "n")
        }
    }

    @Test func scramNeedsTheServersProof() throws {
        var stream = stream(encrypted: true)
        _ = try orders(&stream, Self.root + Self.features(Self.mechanisms("SCRAM-SHA-1")))
        #expect {
            try orders(&stream, "<success \(Self.sasl)/>")
        } throws: {
            if case .authentication(.untrustworthy) = $0 as? StreamFailure { true } else { false }
        }
    }

    @Test func refusalsHaveTheirCases() throws {
        var wrong = stream(encrypted: true)
        _ = try orders(&wrong, Self.root + Self.features(Self.mechanisms("PLAIN")))
        let failure = #expect(throws: StreamFailure.self) {
            try orders(&wrong, "<failure \(Self.sasl)><not-authorized/></failure>")
        }
        #expect(failure == .authentication(.refused("not-authorized")))
        #expect(failure?.mayPass == false)
        for (inside, expected) in [
            (
                "<see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>e:1</see-other-host>",
                StreamFailure.redirected(to: "e:1")
            ),
            (
                "<reset xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>",
                .refused(condition: "reset", text: nil)
            ),
            ("", .refused(condition: "undefined-condition", text: nil)),
        ] {
            var other = stream()
            #expect(throws: expected) {
                try orders(&other, Self.root + "<stream:error>\(inside)</stream:error>")
            }
        }
    }

    @Test func garbageIsAnsweredWithAStreamError() throws {
        var stream = stream()
        let failure = #expect(throws: StreamFailure.self) {
            try orders(&stream, Self.root + "<!-- x -->")
        }
        #expect(
            stream.farewell(failure) == [
                "<error xmlns='http://etherx.jabber.org/streams'><restricted-xml xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></error>",
                "</stream:stream>",
            ])
    }

    @Test func aWebSocketCarriesOneElementAMessage() throws {
        var stream = stream(.anonymous, .webSocket, encrypted: true)
        let open = "<open xmlns='urn:ietf:params:xml:ns:xmpp-framing' version='1.0' id='1'/>"
        let features = { (inside: String) in
            "<features xmlns='http://etherx.jabber.org/streams'>\(inside)</features>"
        }
        var orders: [ClientStream.Order] = []
        for message in [
            open, features(Self.mechanisms("ANONYMOUS")), "<success \(Self.sasl)/>", open,
            features(Self.bind),
            Self.bound.replacing("<iq ", with: "<iq xmlns='jabber:client' "),
            "<message xmlns='jabber:client'/>",
            "<close xmlns='urn:ietf:params:xml:ns:xmpp-framing'/>",
        ] {
            try stream.received(message: message) { orders.append($0) }
        }
        #expect(
            orders == [
                .send(
                    "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='ANONYMOUS'>=</auth>"),
                .send(stream.opening),
                .send("<iq xmlns='jabber:client' type='set' id='bind'>\(Self.bind)</iq>"),
                .ready(try #require(JID("u@d/r"))),
                .stanza(XMLElement("message", "jabber:client")), .closed,
            ])
    }
}
