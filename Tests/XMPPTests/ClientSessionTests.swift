import MediaKernel
import Testing
import XML

@testable import XMPP

@Suite struct ClientSessionTests {
    typealias Streams = ClientStreamTests

    private var session: ClientSession
    private var now = Instant.zero

    private static let sm = "xmlns='urn:xmpp:sm:3'"
    private static let enabled = "<enabled \(sm) id='s1' resume='true'/>"

    init() {
        var settings = ClientSettings(
            domain: "d", credentials: .account(user: "u", password: "p"),
            capabilities: Capabilities(
                node: "n", identity: .init(category: "client", type: "bot", name: "N"),
                features: []))
        settings.answered = ["urn:ours"]
        session = ClientSession(settings)
    }

    private mutating func drained() -> [ClientOrder] {
        var orders: [ClientOrder] = []
        while let order = session.poll() { orders.append(order) }
        return orders
    }

    private mutating func take(_ text: String) -> [ClientOrder] {
        session.received(text.utf8, at: now)
        return drained()
    }

    private mutating func sent(_ text: String) -> [String] {
        take(text).compactMap { if case .send(let text) = $0 { text } else { nil } }
    }

    private mutating func connect() {
        session.connecting(at: now)
        session.connected(by: .tcp, isLocal: true, isEncrypted: false, nonce: "n", at: now)
        _ = take(Streams.root + Streams.features(Streams.mechanisms("PLAIN")))
        _ = take("<success \(Streams.sasl)/>")
    }

    /// - Parameter manages: whether the server offers XEP-0198.
    private mutating func goOnline(manages: Bool = false) -> [ClientOrder] {
        connect()
        let offer = manages ? "<sm \(Self.sm)/>" : ""
        _ = take(Streams.root + Streams.features(Streams.bind + offer))
        return take(Streams.bound)
    }

    private mutating func resume(_ answer: String) -> [ClientOrder] {
        connect()
        _ = take(Streams.root + Streams.features(Streams.bind + "<sm \(Self.sm)/>"))
        return take(answer)
    }

    private let room = JID("r@muc.d")!

    private mutating func enter() throws {
        try session.enter(room, nick: "me", at: now)
        _ = take(presence("me", status: 110))
    }

    private func presence(
        _ nick: String, _ type: String? = nil, status: Int? = nil, _ more: String = ""
    ) -> String {
        "<presence from='r@muc.d/\(nick)'\(type.map { " type='\($0)'" } ?? "")>"
            + "<x xmlns='http://jabber.org/protocol/muc#user'>\(more)"
            + (status.map { "<status code='\($0)'/>" } ?? "") + "</x></presence>"
    }

    // MARK: Phases

    @Test mutating func eachPhaseHasItsDeadline() {
        let steps: [(ConnectionEnd.Phase, String)] = [
            (.opening, Streams.root + Streams.features(Streams.tls)),
            (.encrypting, Streams.proceed),
        ]
        session.connecting(at: now)
        #expect(session.nextDeadline == now + .seconds(10))
        now += .seconds(9)
        session.connected(by: .tcp, isLocal: false, isEncrypted: false, nonce: "n", at: now)
        for (_, text) in steps {
            #expect(session.nextDeadline == now + .seconds(10))
            now += .seconds(9)
            _ = take(text)
        }
        #expect(session.nextDeadline == now + .seconds(1), "TLS had begun before")
        now += .seconds(1)
        session.handleTimeout(at: now)
        #expect(drained() == [.end(.silent(.encrypting))])
    }

    @Test mutating func bytesThatDripDoNotHelp() {
        session.connecting(at: now)
        session.connected(by: .tcp, isLocal: true, isEncrypted: false, nonce: "n", at: now)
        var orders = drained()
        for byte in Streams.root.utf8.prefix(20) {
            now += .milliseconds(501)
            session.received([byte], at: now)
            session.handleTimeout(at: now)
            orders = drained()
        }
        #expect(orders == [.end(.silent(.opening))])
    }

    @Test mutating func aServerThatIsNotHereMustEncrypt() {
        session.connecting(at: now)
        session.connected(by: .tcp, isLocal: false, isEncrypted: false, nonce: "n", at: now)
        let orders = take(Streams.root + Streams.features(Streams.mechanisms("PLAIN")))
        #expect(orders.last == .end(.failed(.unencrypted)))
        #expect(orders.dropLast().last == .send("</stream:stream>"))
    }

    // MARK: Is the server there?

    @Test mutating func silenceIsAskedAboutAndThenTheEnd() {
        _ = goOnline()
        now += .seconds(29)
        session.handleTimeout(at: now)
        #expect(drained().isEmpty)
        now += .seconds(1)
        session.handleTimeout(at: now)
        let ping = "<iq type='get' id='r1' to='d'><ping xmlns='urn:xmpp:ping'/></iq>"
        #expect(drained() == [.send(ping)])
        #expect(session.nextDeadline == now + .seconds(10))
        now += .seconds(10)
        session.handleTimeout(at: now)
        #expect(drained().last == .end(.silent(.open)))
        #expect(!session.isOnline)
    }

    @Test mutating func anyElementIsAnAnswer() {
        _ = goOnline()
        now += .seconds(30)
        session.handleTimeout(at: now)
        _ = drained()
        now += .seconds(9)
        _ = take("<message from='d'/>")
        #expect(session.nextDeadline == Instant.zero + .seconds(40), "that of the request")
        now += .seconds(29)
        session.handleTimeout(at: now)
        #expect(drained().allSatisfy { if case .answered = $0 { true } else { false } })
        #expect(session.isOnline)
    }

    @Test mutating func whoDoesNotReadDoesNotCountSilence() {
        _ = goOnline()
        session.reads(false, at: now)
        now += .seconds(300)
        session.handleTimeout(at: now)
        #expect(drained().isEmpty && session.nextDeadline == nil)
        session.reads(true, at: now)
        #expect(session.nextDeadline == now + .seconds(30))
    }

    // MARK: Requests

    @Test mutating func requestsAreAnsweredOrPassedOn() throws {
        _ = goOnline()
        #expect(
            sent("<iq type='get' id='1' from='d'><ping xmlns='urn:xmpp:ping'/></iq>")
                == ["<iq type='result' id='1' to='d'/>"])
        let info = sent(
            "<iq type='get' id='2'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>")
        #expect(info.first?.contains("<feature var='urn:xmpp:ping'/>") == true)
        let refusal = sent("<iq type='set' id='3' from='a@b/c'><x xmlns='urn:other'/></iq>")
        #expect(refusal.first?.contains("service-unavailable") == true)
        let orders = take("<iq type='set' id='4' from='a@b/c'><x xmlns='urn:ours'/></iq>")
        guard case .event(.request(let request)) = orders.first, orders.count == 1 else {
            Issue.record("\(orders)")
            return
        }
        #expect(request.id == "4" && request.from == JID("a@b/c"))
        #expect(take("<iq type='error' id='5' from='a@b/c'/>").isEmpty)
    }

    @Test mutating func ourRequestsEndInOneOfThreeWays() throws {
        let ask = XMLElement("q", "urn:q")
        #expect(throws: RequestFailure.offline) {
            _ = try session.ask(.get, ask, to: room, until: now)
        }
        _ = goOnline()
        let first = try session.ask(.get, ask, to: room, until: now + .seconds(5))
        let second = try session.ask(.get, ask, to: room, until: now + .seconds(5))
        let third = try session.ask(.get, ask, to: room, until: now + .seconds(6))
        _ = drained()
        #expect(
            take("<iq type='result' id='\(first)' from='r@muc.d'/>")
                == [.answered(first, .success(nil))])
        now += .seconds(5)
        session.handleTimeout(at: now)
        #expect(drained() == [.answered(second, .failure(.timedOut))])
        session.disconnected(.lost("cut"))
        #expect(drained() == [.answered(third, .failure(.offline))])
    }

    // MARK: Rooms

    @Test mutating func aRoomIsEnteredAndLeft() throws {
        _ = goOnline()
        try session.enter(room, nick: "me", at: now)
        _ = drained()
        #expect(take(presence("ann")).count == 1)
        #expect(take(presence("me", status: 110)).last == .event(.room(room, .entered(nick: "me"))))
        #expect(session.nextDeadline == now + .seconds(30), "no more that of the entry")
        guard
            case .event(.room(_, .message(let message))) = take(
                "<message from='r@muc.d/ann' type='groupchat'><body>hi</body></message>"
            ).first
        else {
            Issue.record("no message")
            return
        }
        #expect(message.body == "hi" && message.nick == "ann" && !message.isPrivate)
        try session.leave(room, at: now)
        #expect(drained() == [.send("<presence to='r@muc.d/me' type='unavailable'/>")])
        #expect(
            take(presence("me", "unavailable", status: 110)).last
                == .event(.room(room, .ended(.left))))
        #expect(throws: RequestFailure.offline) { try session.leave(room, at: now) }
    }

    @Test(arguments: [
        ("not-authorized", "auth", RoomEnding.passwordNeeded), ("forbidden", "auth", .banned),
        ("conflict", "cancel", .nickTaken), ("service-unavailable", "wait", .full),
        ("registration-required", "auth", .membersOnly), ("item-not-found", "cancel", .absent),
        ("not-allowed", "cancel", .notOurs),
        ("remote-server-not-found", "cancel", .refused(.init("remote-server-not-found", .cancel))),
    ])
    func aRefusedEntryHasItsCase(condition: String, kind: String, ending: RoomEnding) throws {
        var test = self
        _ = test.goOnline()
        try test.session.enter(room, nick: "me", at: now)
        _ = test.drained()
        let error =
            "<presence from='r@muc.d/me' type='error'><error type='\(kind)'><\(condition) "
            + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>"
        #expect(test.take(error).last == .event(.room(room, .ended(ending))))
    }

    @Test(arguments: [
        (307, "<item><reason>out</reason></item>", RoomEnding.kicked(reason: "out")),
        (301, "", .banned), (332, "", .removed(status: 332)),
        (110, "<destroy jid='s@muc.d'/>", .destroyed(alternate: JID("s@muc.d"))),
    ])
    func aRemovalHasItsCase(status: Int, more: String, ending: RoomEnding) throws {
        var test = self
        _ = test.goOnline()
        try test.enter()
        let orders = test.take(
            presence("me", "unavailable", status: status, more + "<status code='110'/>"))
        #expect(orders.last == .event(.room(room, .ended(ending))))
        #expect(throws: RequestFailure.offline) { try test.session.show([], in: test.room) }
    }

    /// As ejabberd does, and XEP-0045 sect. 10.9 shows.
    @Test mutating func aRoomIsDestroyedWithoutOurMark() throws {
        _ = goOnline()
        try enter()
        #expect(take(presence("ann", "unavailable", status: nil, "<destroy/>")).count == 1)
        #expect(
            take(presence("me", "unavailable", status: nil, "<destroy/>")).last
                == .event(.room(room, .ended(.destroyed(alternate: nil)))))
    }

    @Test mutating func anotherOfOurNickDoesNotLeaveForUs() throws {
        _ = goOnline()
        try session.enter(room, nick: "me", at: now)
        _ = drained()
        #expect(take(presence("me", "unavailable")).count == 1)
        #expect(take(presence("me", status: 110)).last == .event(.room(room, .entered(nick: "me"))))
    }

    @Test mutating func aRoomThatDoesNotAnswerIsLeft() throws {
        _ = goOnline()
        try session.enter(room, nick: "me", at: now)
        _ = drained()
        now += .seconds(20)
        session.handleTimeout(at: now)
        #expect(
            drained() == [
                .event(.room(room, .ended(.silent))),
                .send("<presence to='r@muc.d/me' type='unavailable'/>"),
            ])
    }

    @Test mutating func whatIsRefusedInsideDoesNotEndTheStay() throws {
        _ = goOnline()
        try enter()
        let error =
            "<presence from='r@muc.d/me' type='error'><error type='cancel'><conflict "
            + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>"
        #expect(
            take(error) == [.event(.room(room, .refused(StanzaError("conflict", .cancel))))])
        try session.show([], in: room)
    }

    // MARK: The end

    @Test mutating func leavingWaitsForTheServersEnd() {
        _ = goOnline()
        session.leave(at: now)
        #expect(drained() == [.send("</stream:stream>")] && !session.isOnline)
        #expect(take("</stream:stream>") == [.end(.left)])
        _ = goOnline()
        session.leave(at: now)
        _ = drained()
        now += .seconds(2)
        session.handleTimeout(at: now)
        #expect(drained() == [.end(.left)])
    }

    @Test mutating func withoutItsStreamAClientIsInNoRoom() throws {
        _ = goOnline()
        try enter()
        session.disconnected(.lost("cut"))
        #expect(drained() == [.event(.room(room, .ended(.offline)))])
    }

    // MARK: Resumption

    @Test mutating func aLostStreamGoesOnWhereItWas() throws {
        #expect(goOnline(manages: true).last == .send("<enable \(Self.sm) resume='true'/>"))
        #expect(take(Self.enabled).isEmpty)
        try enter()
        _ = take("<message from='d'/><a \(Self.sm) h='1'/>")
        try session.send(XMLElement("message", "jabber:client", ["id": "1"]))
        try session.send(XMLElement("message", "jabber:client", ["id": "2"]))
        let pending = try session.ask(
            .get, XMLElement("q", "urn:q"), to: room, until: now + .seconds(60))
        _ = drained()
        session.disconnected(.lost("cut"))
        #expect(drained().isEmpty, "the room and the request are still there")

        connect()
        let asked = sent(Streams.root + Streams.features(Streams.bind + "<sm \(Self.sm)/>"))
        #expect(asked == ["<resume \(Self.sm) previd='s1' h='2'/>"])
        let orders = take("<resumed \(Self.sm) previd='s1' h='2'/>")
        #expect(
            orders.prefix(2) == [
                .event(.online(try #require(JID("u@d/r")), isResumed: true)),
                .send("<message id='2'/>"),
            ])
        #expect(orders.last == .send("<r \(Self.sm)/>"))
        #expect(
            take("<iq type='result' id='\(pending)' from='r@muc.d'/>")
                == [.answered(pending, .success(nil))])
        try session.show([], in: room)
    }

    @Test mutating func aForgottenStreamBeginsAnew() throws {
        _ = goOnline(manages: true)
        _ = take(Self.enabled)
        try enter()
        session.disconnected(.lost("cut"))
        let bind = resume("<failed \(Self.sm)/>")
        #expect(bind == [.send("<iq type='set' id='bind'>\(Streams.bind)</iq>")])
        let orders = take(Streams.bound)
        #expect(
            orders.prefix(2) == [
                .event(.room(room, .ended(.offline))),
                .event(.online(try #require(JID("u@d/r")), isResumed: false)),
            ])
    }

    @Test mutating func stanzasAreCountedAndAcknowledged() throws {
        _ = goOnline(manages: true)
        try session.send(XMLElement("message", "jabber:client"))
        #expect(drained().count == 1, "no question before it is enabled")
        #expect(sent(Self.enabled) == ["<r \(Self.sm)/>"])
        #expect(sent("<message/><r \(Self.sm)/>") == ["<a \(Self.sm) h='1'/>"])
        #expect(take("<a \(Self.sm) h='1'/>").isEmpty)
        let orders = take("<a \(Self.sm) h='2'/>")
        guard case .end(.failed(.unexpected)) = orders.last else {
            Issue.record("\(orders)")
            return
        }
    }

    @Test mutating func whatNobodyAcknowledgesIsLimited() throws {
        _ = goOnline(manages: true)
        _ = take(Self.enabled)
        for _ in 0..<1024 { try session.send(XMLElement("message", "jabber:client")) }
        #expect(session.isOnline)
        try session.send(XMLElement("message", "jabber:client"))
        #expect(drained().last == .end(.overrun))
    }

    @Test mutating func whatNobodyAcknowledgesIsLimitedInBytesToo() throws {
        _ = goOnline(manages: true)
        _ = take(Self.enabled)
        let empty = "<message id=''/>".utf8.count
        let quarter = XMLElement(
            "message", "jabber:client",
            ["id": String(repeating: "a", count: (1 << 18) - empty)])
        for _ in 0..<4 { try session.send(quarter) }
        #expect(session.isOnline)
        // What is acknowledged makes space.
        _ = take("<a \(Self.sm) h='1'/>")
        try session.send(quarter)
        #expect(session.isOnline)
        try session.send(XMLElement("message", "jabber:client"))
        #expect(drained().last == .end(.overrun))
    }

    /// Neither what was sent, nor its excess, is sent again.
    @Test mutating func aServerThatTakesTooLittleGetsANewStream() throws {
        _ = goOnline(manages: true)
        _ = take(Self.enabled)
        try enter()
        while session.isOnline { try session.send(XMLElement("message", "jabber:client")) }
        let last = drained().suffix(4)
        #expect(
            last == [
                .send("<message/>"), .send("</stream:stream>"),
                .event(.room(room, .ended(.offline))), .end(.overrun),
            ])
        connect()
        let asked = sent(Streams.root + Streams.features(Streams.bind + "<sm \(Self.sm)/>"))
        #expect(asked == ["<iq type='set' id='bind'>\(Streams.bind)</iq>"])
        #expect(
            take(Streams.bound) == [
                .event(.online(try #require(JID("u@d/r")), isResumed: false)),
                .send("<enable \(Self.sm) resume='true'/>"),
            ])
    }

    @Test mutating func aConnectionThatTakesNoMoreIsNotResumed() throws {
        _ = goOnline(manages: true)
        _ = take(Self.enabled)
        session.overrun()
        #expect(drained() == [.end(.overrun)])
        connect()
        let asked = sent(Streams.root + Streams.features(Streams.bind + "<sm \(Self.sm)/>"))
        #expect(asked == ["<iq type='set' id='bind'>\(Streams.bind)</iq>"])
    }
}
