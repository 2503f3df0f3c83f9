import MediaKernel
import Rooms
import Testing

/// The operator's actions on peers in the room.
@Suite struct ControlTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("h", role: "host")
        try fixture.join("a")
        try fixture.join("b")
        try fixture.join("bot", role: Policy.recorderRole)
    }

    private mutating func speak(
        to audience: Audience, _ json: String = #""hi""#, type: String = "chat"
    ) throws -> [RoomEffect] {
        let message = try fixture.room.operatorSpoke(
            to: audience, type: type, body: OpaqueJSON(text: json), at: fixture.now,
            wall: fixture.wall)
        #expect(message.sender == nil && message.sentAt == fixture.wall)
        return fixture.drain()
    }

    @Test mutating func aMessageReachesAllOneOrARole() throws {
        #expect(try speak(to: .everybody).toldPeers == ["h", "a", "b", "bot"])
        #expect(try speak(to: .roles(["guest"])).toldPeers == ["a", "b"])
        #expect(try speak(to: .peer("b")).toldPeers == ["b"])
        fixture.room.connectionLost("b", at: fixture.now)
        #expect(try speak(to: .peer("b")).isEmpty)
    }

    @Test mutating func aMessageHasTheLimitsOfPeersButNotTheirRate() throws {
        for _ in 0...fixture.room.limits.fanOutBurst { _ = try speak(to: .everybody) }
        let long = String(repeating: "x", count: RoomLimits.messageBytes + 1)
        let type = String(repeating: "x", count: RoomLimits.wordBytes + 1)
        var copy = self
        #expect(
            roomError { _ = try copy.speak(to: .everybody, long) }
                == .tooLong(field: "message", count: 8193, maximum: 8192))
        #expect(
            roomError { _ = try copy.speak(to: .everybody, type: type) }
                == .tooLong(field: "type", count: 129, maximum: 128))
        for name in ["nobody", Policy.recorderRole] {
            #expect(
                roomError { _ = try copy.speak(to: .roles([name])) } == .unknownRole(name))
        }
        for peer in ["nobody", "bot"] as [PeerID] {
            #expect(roomError { _ = try copy.speak(to: .peer(peer)) } == .unknownPeer(peer))
        }
        #expect(copy.fixture.drain().isEmpty)
    }

    @Test mutating func aPeerIsChangedWholeOrNotAtAll() throws {
        let changed = try fixture.room.peerChanged(
            "a", name: "Anna", metadata: "{}", role: "host")
        #expect(changed.name == "Anna" && changed.metadata == "{}" && changed.role == "host")
        let told = fixture.drain().told("a")
        #expect(told.first == .policyChanged(role: "host"))
        #expect(told.last == .peerUpdated(changed))
        let long = String(repeating: "x", count: RoomLimits.metadataBytes + 1)
        for (name, metadata, role) in [
            ("Ann", long, "guest"), ("Ann", "", "nobody"), ("Ann", "", Policy.recorderRole),
        ] {
            var room = fixture.room
            #expect(
                roomError {
                    _ = try room.peerChanged("a", name: name, metadata: metadata, role: role)
                } != nil)
            #expect(try room.peers.visiblePeer("a") == changed)
            #expect(room.poll() == nil)
        }
        _ = try fixture.room.peerChanged("a", name: nil, metadata: nil, role: nil)
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func aPeerOrEverybodyOfARoleIsPutOut() throws {
        try fixture.room.peerRemoved("a", reason: "rude")
        let effects = fixture.drain()
        #expect(
            effects.dismissals(of: "a") == [
                Dismissal(requester: nil, reason: "rude", isRoomEnd: false)
            ])
        let notes = effects.compactMap { effect -> LeaveReason? in
            guard case .noted(.peerLeft(_, _, let reason, "rude")) = effect else { return nil }
            return reason
        }
        #expect(notes == [.removed])
        try fixture.join("c")
        try fixture.room.peersRemoved(role: "guest", reason: "")
        _ = fixture.drain()
        #expect(fixture.room.peers.visible.map(\.id) == ["h"])
        try fixture.room.peersRemoved(role: "guest", reason: "")
        #expect(fixture.drain().isEmpty, "nobody has the role any more")
        var room = fixture.room
        #expect(roomError { try room.peerRemoved("bot", reason: "") } == .unknownPeer("bot"))
        #expect(
            roomError { try room.peersRemoved(role: Policy.recorderRole, reason: "") }
                == .unknownRole(Policy.recorderRole))
    }

    @Test mutating func aTrackSaysSinceWhenItIsPublished() throws {
        let first = fixture.wall
        try fixture.publish([.camera("v")], by: "a")
        fixture.now += .seconds(2)
        try fixture.publish([.camera("v"), .microphone("m")], by: "a")
        #expect(
            fixture.room.peers["a"]?.startedAt == ["v": first, "m": fixture.wall])
        try fixture.publish([.microphone("m")], by: "a")
        #expect(fixture.room.peers["a"]?.startedAt.keys.sorted() == ["m"])
        _ = try fixture.room.peerChanged("a", name: nil, metadata: nil, role: "viewer")
        #expect(fixture.room.peers["a"]?.startedAt == [:])
    }
}
