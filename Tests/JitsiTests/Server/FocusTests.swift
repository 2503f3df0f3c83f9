import Logging
import MediaKernel
import RoomHost
import Rooms
import Synchronization
import Testing
import Workbench
import XML
import XMPP

@testable import Jitsi

/// Conference requests, and the way of stanzas to their rooms.
@Suite(.timeLimit(.minutes(2))) struct FocusTests {
    private struct OneRoom: ConferenceRooms {
        let world: FocusWorld

        func room(_ id: RoomID) async throws(StanzaError) -> RoomHost {
            guard id == "r" else { throw StanzaError("item-not-found", .cancel) }
            return world.host
        }
    }

    private let world = FocusWorld()

    private func focus(open: Set<String>? = nil) -> JitsiFocus {
        var settings = FocusSettings(component: "focus.example", rooms: "muc.example")
        settings.open = open
        return JitsiFocus(
            settings: settings, rooms: OneRoom(world: world), post: world.server,
            now: { .zero }, logger: Logger(label: "test"))
    }

    private func ask(
        _ focus: JitsiFocus, _ payload: String, type: String = "set", from: String = "x@example/app"
    ) async throws -> XMLElement? {
        try await focus.take(
            XMLStreamReader.element(
                "<iq xmlns='jabber:client' type='\(type)' id='c1' from='\(from)' to='focus.example'>\(payload)</iq>"
            ))
        return world.server.all.last { $0["id"] == "c1" }
    }

    private func conference(_ room: String) -> String {
        "<conference xmlns='http://jitsi.org/protocol/focus' room='\(room)' machine-uid='m'/>"
    }

    @Test func aRequestOpensTheConference() async throws {
        let focus = focus()
        let answer = try #require(try await ask(focus, conference("r@muc.example")))
        #expect(answer["from"] == "focus.example")
        let told = try ConferenceAnswer(try #require(answer.elements.first))
        #expect(told.isReady)
        #expect(told.focus == JID("focus@focus.example"))
        // It is in the room before the client may come.
        #expect(world.server.all.map(\.name) == ["presence", "iq"])
        try await focus.take(XMLStreamReader.element(FocusWorld.presence("ann")))
        #expect(await comesAbout { world.server.all.last?["to"] == "r@muc.example/ann" })
    }

    @Test(arguments: [
        ("", "bad-request"), ("r@other.example", "bad-request"), ("muc.example", "bad-request"),
        ("r@muc.example/nick", "bad-request"), ("a.b@muc.example", "not-acceptable"),
        ("secret@muc.example", "not-allowed"), ("s@muc.example", "item-not-found"),
    ])
    func otherRequestsAreRefused(_ room: String, _ condition: String) async throws {
        let answer = try await ask(focus(open: ["r", "s"]), conference(room))
        #expect(answer.map { StanzaError(of: $0).condition } == condition)
        #expect(await !world.entrance.isOpen())
    }

    @Test func aRequestByHTTPOpensTheConferenceToo() async throws {
        let focus = focus()
        let (status, body) = await focus.answer(
            json:
                #"{"room":"r@muc.example","machineUid":"m","properties":{"rtcstatsEnabled":false}}"#
        )
        #expect(status == 200)
        let told = try ConferenceAnswer(json: body)
        #expect(told.isReady && told.isLive && told.focus == JID("focus@focus.example"))
        #expect(await world.entrance.isOpen())
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"room":1}"#, #"{"room":"r@other.example"}"#,
        #"{"room":"a.b@muc.example"}"#, #"{"room":"s@muc.example"}"#,
        #"{"room":"r@muc.example","x":"\#(String(repeating: "x", count: 70_000))"}"#,
    ])
    func otherRequestsByHTTPAreRefused(_ json: String) async {
        let (status, body) = await focus().answer(json: json)
        #expect(status == 400 && !body.isEmpty && body.utf8.count < 400)
        #expect(await !world.entrance.isOpen())
    }

    /// Moderators' orders name no room.
    @Test(arguments: ["<av_moderation enable='true' mediaType='audio'/>", "<end_conference/>"])
    func whatAClientTellsTheComponentFindsItsConference(told word: String) async throws {
        let focus = focus()
        _ = try await ask(focus, conference("r@muc.example"))
        func order(_ from: String) async throws {
            try await focus.take(
                XMLStreamReader.element(
                    "<message xmlns='jabber:client' from='\(from)' to='focus.example'>"
                        + "\(word)</message>"))
        }
        try await focus.take(XMLStreamReader.element(FocusWorld.presence("ann")))
        try await order("eve@example/app")
        try await order("ann@example/app")
        func told() -> [XMLElement] { world.server.all.filter { $0.name == "message" } }
        #expect(await comesAbout { !told().isEmpty })
        // She has not answered what she can do.
        #expect(told().map { $0["to"] } == ["ann@example/app"])
        #expect(told().map { StanzaError(of: $0).condition } == ["forbidden"])
    }

    /// Whoever has asked whether it is over may hear of it when it has begun anew.
    @Test func aConferenceThatBeginsWhileItEndsIsKept() async throws {
        let focus = focus()
        let room = try #require(JID("r@muc.example"))
        _ = try await ask(focus, conference("r@muc.example"))
        let requests = await focus.requests(for: room)
        await world.pass(.seconds(31))
        _ = try await ask(focus, conference("r@muc.example"))
        await focus.end(room, world.host, after: requests)
        #expect(await focus.requests(for: room) == 2)
        await focus.end(room, world.host, after: 2)
        #expect(await focus.requests(for: room) == 0)
    }

    @Test func aConferenceThatEndedWithoutTheServerIsForgotten() async throws {
        let focus = focus()
        _ = try await ask(focus, conference("r@muc.example"))
        await world.pass(.seconds(31))
        #expect(await !world.entrance.isOpen())
        await focus.comeBack()
        // As any stanza that is of no conference.
        let ping = try await ask(
            focus, "<ping xmlns='urn:xmpp:ping'/>", type: "get", from: "r@muc.example/x")
        #expect(ping?["type"] == "result")
    }

    @Test func requestsHaveARate() async throws {
        let focus = focus()
        var conditions: Set<String> = []
        for _ in 0..<JitsiFocus.requestsBurst + 1 {
            let answer = try await ask(focus, conference("r@muc.example"))
            if let answer, answer["type"] == "error" {
                conditions.insert(StanzaError(of: answer).condition)
            }
        }
        #expect(conditions == ["resource-constraint"])
    }

    @Test func otherStanzasAreAnsweredOrPassedOver() async throws {
        let focus = focus()
        let ping = try await ask(focus, "<ping xmlns='urn:xmpp:ping'/>", type: "get")
        #expect(ping?["type"] == "result")
        let other = try await ask(focus, "<x xmlns='urn:x'/>")
        #expect(other.map { StanzaError(of: $0).condition } == "service-unavailable")
        let count = world.server.all.count
        try await focus.take(XMLStreamReader.element("<message xmlns='jabber:client' from='a@b'/>"))
        try await focus.take(XMLStreamReader.element("<presence xmlns='jabber:client'/>"))
        #expect(world.server.all.count == count)
    }
}
