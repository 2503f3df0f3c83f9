import MediaKernel
import RemoteRoom
import Testing
import XML
import XMPP

@testable import Jitsi

/// Rooms that do not admit everybody.
@Suite struct LobbyTests {
    private static let lobby = "r@lobby.example"

    /// One that the room has sent to its lobby.
    private func waiting(
        _ recording: RecordingPresence? = nil, password: String? = nil
    ) throws -> CallWorld {
        var world = CallWorld(password: password, recording: recording)
        world.connect()
        try world.ready()
        try refuse(&world)
        return world
    }

    /// As mod_muc_lobby_rooms does.
    private func refuse(_ world: inout CallWorld, lobby: String? = lobby) throws {
        let place = lobby.map {
            "<lobbyroom xmlns='http://jitsi.org/jitmeet'>\($0)</lobbyroom>"
        }
        try world.receive(
            """
            <presence xmlns='jabber:client' from='r@muc.example/\(world.call.nick)' type='error'>\
            <error type='auth' code='407'>\
            <registration-required xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
            \(place ?? "")</error></presence>
            """)
    }

    private func lobbyPresence(
        _ world: CallWorld, type: String? = nil, status: [Int] = [110], _ inside: String = ""
    ) -> String {
        """
        <presence xmlns='jabber:client' from='\(Self.lobby)/\(world.call.nick)'\
        \(type.map { " type='\($0)'" } ?? "")><x xmlns='http://jabber.org/protocol/muc#user'>\
        <item affiliation='none' role='none'/>\(inside)\
        \(status.map { "<status code='\($0)'/>" }.joined())</x></presence>
        """
    }

    private func invitation(
        from room: String = "r@muc.example", _ more: String = ""
    ) -> String {
        """
        <message xmlns='jabber:client' from='\(room)'>\
        <x xmlns='http://jabber.org/protocol/muc#user'>\
        <invite from='r@muc.example/0000000a'><reason/></invite>\(more)</x></message>
        """
    }

    @Test func whoIsLetInEntersAndLeavesTheLobby() throws {
        var world = try waiting()
        let knock = try #require(world.entry)
        #expect(knock["to"] == "\(Self.lobby)/\(world.call.nick)")
        #expect(knock.child("nick", JitsiNamespaces.nick)?.text == "Recorder")
        #expect(world.warnings == ["waiting in the lobby until somebody lets the recorder in"])
        try world.receive(lobbyPresence(world))
        // Those who are not asked, and other rooms.
        try world.receive(invitation(from: "s@muc.example"))
        #expect(world.sent.count == 2 && world.end == nil)
        try world.receive(invitation("<password>open</password>"))
        let entry = try #require(world.entry)
        #expect(entry["to"] == "r@muc.example/\(world.call.nick)")
        let muc = "http://jabber.org/protocol/muc"
        #expect(entry.child("x", muc)?.child("password", muc)?.text == "open")
        try world.admit()
        #expect(world.events.contains(.joined))
        let farewell = try #require(world.sent.last)
        #expect(farewell["to"] == "\(Self.lobby)/\(world.call.nick)")
        #expect(farewell["type"] == "unavailable")
        // The lobby is no concern any more.
        try world.receive(lobbyPresence(world, type: "unavailable", status: [110, 307]))
        #expect(world.end == nil)
    }

    @Test func whoIsSentAwayDoesNotComeBack() throws {
        var world = try waiting()
        try world.receive(lobbyPresence(world))
        try world.receive(lobbyPresence(world, type: "unavailable", status: [110, 307]))
        #expect(
            world.end
                == .closed(code: 403, message: "the recorder was not let in from the lobby"))
    }

    @Test func nobodyWaitsForEver() throws {
        var world = try waiting()
        try world.receive(lobbyPresence(world))
        // A stream that is lost meanwhile makes it no longer.
        world.pass(.seconds(30))
        world.connect()
        try world.ready()
        try refuse(&world)
        world.pass(.seconds(29))
        #expect(world.end == nil)
        world.pass(.seconds(1))
        #expect(
            world.end
                == .closed(code: 407, message: "nobody has let the recorder in from the lobby"))
        #expect(world.sent.last?["to"] == "\(Self.lobby)/\(world.call.nick)")
        #expect(world.sent.last?["type"] == "unavailable")
    }

    @Test func aLobbyThatIsClosedOpensTheRoom() throws {
        var world = try waiting()
        try world.receive(
            lobbyPresence(
                world, type: "unavailable", "<destroy jid='r@muc.example'/>"))
        #expect(world.entry?["to"] == "r@muc.example/\(world.call.nick)" && world.end == nil)
        try world.admit()
        #expect(world.events.contains(.joined))
    }

    @Test func aLobbyThatEndsWithItsRoomEndsTheStay() throws {
        var world = try waiting()
        try world.receive(lobbyPresence(world, type: "unavailable", "<destroy/>"))
        #expect(world.end == .roomEnded(reason: "the room was destroyed"))
    }

    /// Nobody but the server makes lobbies, and it may have taken this one away just now.
    @Test func aLobbyThatIsNotThereIsNoWay() throws {
        var world = try waiting()
        for _ in 0..<CallLimits.entryAttempts where world.end == nil {
            try world.receive(
                """
                <presence xmlns='jabber:client' from='\(Self.lobby)/\(world.call.nick)' \
                type='error'><error type='cancel'>\
                <not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>
                """)
            if world.end == nil { try refuse(&world) }
        }
        #expect(
            world.end
                == .closed(code: 407, message: "nobody has let the recorder in from the lobby"))
    }

    /// As jibri's browser does not: it is on the lists that lead past lobbies, or does not record.
    @Test func aJibriDoesNotWait() throws {
        let world = try waiting(RecordingPresence(session: "uuid", mode: "file"))
        #expect(
            world.end
                == .closed(
                    code: 407,
                    message:
                        "the room has a lobby, where somebody would have to let the recorder in"
                ))
    }

    @Test(arguments: [nil, "lobby.example", "r@lobby.example/x", "", "r@lobby.example x"])
    func aRoomThatNamesNoLobbyHasNone(lobby: String?) throws {
        var world = CallWorld()
        world.connect()
        try world.ready()
        try refuse(&world, lobby: lobby)
        guard case .closed(code: 407, _)? = world.end else {
            Issue.record("it ends: \(String(describing: world.end))")
            return
        }
    }
}
