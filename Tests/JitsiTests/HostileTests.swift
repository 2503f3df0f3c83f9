import MediaKernel
import RemoteRoom
import Testing
import Workbench
import XML
import XMPP

@testable import Jitsi

/// Hostile servers and members: nothing traps, and what is unusable is said and passed over.
@Suite(.timeLimit(.minutes(5))) struct HostileTests {
    private static func requests() throws -> [XMLElement] {
        [
            try Offers.initiate(session: "s2"),
            try Offers.jingle("source-add", Offers.json([Offers.ben])),
            try Offers.jingle("source-remove", Offers.json([Offers.ann])),
            try Offers.jingle("transport-info", Offers.contents()),
            try Offers.jingle(
                "transport-info",
                """
                <content creator='initiator' name='audio'>\
                <transport xmlns='urn:xmpp:jingle:transports:ice-udp:1' ufrag='u' pwd='p' \
                ice-generation='1'/></content>
                """),
            try Offers.jingle("transport-replace", Offers.contents() + Offers.json([Offers.ann])),
            try Offers.jingle("session-info"),
        ]
    }

    /// Every attribute, text and element in turn is taken away, or becomes something else.
    @Test func noPartOfARequestIsTrusted() throws {
        let connected = try CallWorld.connected()
        for request in try Self.requests() {
            for changed in Self.changes(of: request) {
                var world = connected
                let refusal = try world.request(changed)
                #expect(world.end == nil)
                #expect(
                    refusal == nil || refusal == "bad-request" || refusal == "item-not-found"
                        || refusal == "feature-not-implemented" || refusal == "service-unavailable")
            }
        }
    }

    private static let wrong = ["", "-1", "99999999999999999999", "\u{0}\u{7f}é", "x y;'\"<>&"]

    static func changes(of element: XMLElement) -> [XMLElement] {
        var all: [XMLElement] = []
        for index in element.attributes.indices {
            var less = element
            less.attributes.remove(at: index)
            all.append(less)
            for value in wrong {
                var other = element
                other.attributes[index].value = value
                all.append(other)
            }
        }
        for index in element.children.indices {
            var less = element
            less.children.remove(at: index)
            all.append(less)
            var twice = element
            twice.children.insert(element.children[index], at: index)
            all.append(twice)
            switch element.children[index] {
            case .text(let text):
                for value in wrong + [String(text.dropLast()), String(text.dropFirst())] {
                    var other = element
                    other.children[index] = .text(value)
                    all.append(other)
                }
            case .element(let child):
                for change in changes(of: child) {
                    var other = element
                    other.children[index] = .element(change)
                    all.append(other)
                }
            }
        }
        return all
    }

    @Test func sourcesCutAnywhereAreRefused() throws {
        let json = Array("{\"sources\":{\(Offers.ann),\(Offers.ben)}}".utf8)
        for length in 0..<json.count {
            var listing = SourceListing()
            #expect {
                try listing.read(json: String(decoding: json[..<length], as: UTF8.self))
            } throws: { error in
                if case JitsiFault.malformed = error { true } else { false }
            }
        }
    }

    @Test func presencesOfAllKindsDoNoHarm() throws {
        let stanza = try XMLStreamReader.element(
            CallWorld.member(
                "0000000a", "Ann", #"{"0000000a-a0":{"muted":true}}"#,
                "<features><feature var='x'/></features><session_id>s</session_id>"))
        let connected = try CallWorld.connected()
        for changed in Self.changes(of: stanza) {
            var world = connected
            world.call.received(changed, at: world.now)
            world.drain()
            #expect(world.end == nil)
        }
    }

    /// The stay may end, which is all the harm that a room's own words may do.
    @Test func refusalsAndInvitationsOfAllKindsDoNoHarm() throws {
        var entering = CallWorld()
        entering.connect()
        try entering.ready()
        let refusal = try XMLStreamReader.element(
            """
            <presence xmlns='jabber:client' from='r@muc.example/\(entering.call.nick)' type='error'>\
            <error type='auth'><registration-required \
            xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
            <lobbyroom xmlns='http://jitsi.org/jitmeet'>r@lobby.example</lobbyroom></error>\
            </presence>
            """)
        var knocking = entering
        try knocking.receive(refusal.xml())
        let invitation = try XMLStreamReader.element(
            """
            <message xmlns='jabber:client' from='r@muc.example'>\
            <x xmlns='http://jabber.org/protocol/muc#user'><invite from='a@b'/>\
            <password>p</password></x></message>
            """)
        for (world, stanza) in [(entering, refusal), (knocking, invitation)] {
            for changed in Self.changes(of: stanza) {
                var world = world
                let count = world.sent.count
                world.call.received(changed, at: world.now)
                world.drain()
                world.pass(.seconds(120))
                #expect(world.sent.count <= count + 8)
            }
        }
    }

    @Test func randomChangesOfMessagesNeverTrap() throws {
        var random = SeededRandom(seed: 32)
        let texts = [
            #"{"colibriClass":"EndpointMessage","from":"0000000a","to":"","msgPayload":{"b":1}}"#,
            #"{"colibriClass":"ForwardedSources","forwardedSources":["0000000a-v0"]}"#,
            "{\"sources\":{\(Offers.ann),\(Offers.ben)}}",
            #"{"ready":true,"focusJid":"focus@auth.example","properties":{"live":"true"}}"#,
        ]
        var world = try CallWorld.connected()
        for round in 0..<10_000 {
            var text = Array(texts[round % texts.count].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[place] = UInt8.random(in: 0...255, using: &random)
                case 1: text.remove(at: place)
                default: text.insert(text[place], at: place)
                }
            }
            let words = String(decoding: text, as: UTF8.self)
            world.hear(words)
            var listing = SourceListing()
            try? listing.read(json: words)
            _ = listing.resolved()
            _ = try? ConferenceAnswer(json: words)
        }
        #expect(world.end == nil && world.warnings.count <= CallLimits.notices)
    }

    /// A room that fills, and empties again, costs each member the same.
    @Test func theCostOfMembersIsLinear() throws {
        let growth = try Growth.of(200) { count in
            try (0..<count).map { number in
                let id = Hexadecimal.text(UInt32(number))
                let stanza = try XMLStreamReader.element(
                    CallWorld.member(id, "N", "{\"\(id)-a0\":{\"muted\":true}}"))
                let sources = try JingleMessage(
                    Offers.jingle(
                        "source-add",
                        Offers.json([#""\#(id)":[[],[],[{"s":\#(number + 1),"n":"\#(id)-a0"}]]"#])))
                return (Member(try #require(RoomPresence(stanza)), stanza), sources.sources)
            }
        } body: { (members: [(Member, SourceList)]) in
            var roster = CallRoster(hiddenDomain: nil)
            var book = SourceBook()
            for (member, sources) in members {
                _ = roster.put(member)
                _ = book.add(sources)
                _ = (roster.isEncrypted, book.sources(of: member.id))
            }
            #expect(roster.peers(book).allSatisfy { $0.tracks.count == 1 })
            for (member, _) in members {
                roster.remove(member.id)
                book.remove(owner: member.id)
            }
            #expect(roster.isEmpty && book.sources.isEmpty)
        }
        #expect(growth < Growth.tolerated)
    }

    /// Presences that change nothing of what is shown, which members send all the time, and the
    /// clock's looks cost the same however many members there are.
    @Test func theCostOfAQuietRoomIsThatOfItsStanzas() throws {
        let growth = try Growth.of(60) { count in
            var world = try CallWorld.inside([])
            let members = (0..<count).map {
                CallWorld.member(Hexadecimal.text(UInt32($0)), "N", "{}")
            }
            for member in members { try world.receive(member) }
            return (world.call, try members.map { try XMLStreamReader.element($0) })
        } body: { (call: JitsiCall, stanzas: [XMLElement]) in
            var call = call
            for stanza in stanzas {
                call.received(stanza, at: CallWorld.start)
                call.handleTimeout(at: CallWorld.start)
                while call.poll() != nil {}
            }
        }
        #expect(growth < Growth.tolerated)
    }

    /// A session with many sources costs each of them the same.
    @Test func theCostOfASessionIsLinear() throws {
        let growth = try Growth.of(60) { count in
            let owners = (1...count).map { number in
                let id = "e\(number)"
                return """
                    "\(id)":[[{"s":\(number * 10),"n":"\(id)-v0"}],[],\
                    [{"s":\(number * 10 + 1),"n":"\(id)-a0"}]]
                    """
            }
            return try Offers.initiate(owners)
        } body: { (payload: XMLElement) in
            let message = try JingleMessage(payload)
            var book = SourceBook()
            _ = book.add(message.sources)
            var plan = try SectionPlan(message.contents)
            _ = plan.offer(book.sources)
            _ = plan.offer(book.sources.reversed())
        }
        #expect(growth < Growth.tolerated)
    }
}
