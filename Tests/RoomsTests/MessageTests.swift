import MediaKernel
import Rooms
import Testing

@Suite struct MessageTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("a", role: "host")
        try fixture.join("b", role: "guest")
        try fixture.join("c", role: "viewer")
    }

    mutating func send(
        from peer: PeerID = "a", to audience: Audience, text: String = "\"hi\"",
        type: String = "chat"
    ) throws -> (Message, [RoomEffect]) {
        let message = try fixture.room.messageSent(
            by: peer, to: audience, type: type, body: OpaqueJSON(text: text), at: fixture.now,
            wall: fixture.wall)
        return (message, fixture.drain())
    }

    @Test mutating func aMessageReachesItsAudienceAndNeverItsSender() throws {
        #expect(try send(to: .everybody).1.toldPeers == ["b", "c"])
        #expect(try send(to: .roles(["viewer", "host"])).1.toldPeers == ["c"])
        #expect(try send(to: .peer("b")).1.toldPeers == ["b"])
        #expect(try send(to: .peer("a")).1.isEmpty)
    }

    @Test mutating func everyMessageHasItsOwnID() throws {
        #expect(try send(to: .everybody).0.id != send(to: .everybody).0.id)
    }

    @Test mutating func badMessagesAreRefused() throws {
        #expect(roomError { _ = try send(to: .peer("x")) } == .unknownPeer("x"))
        #expect(roomError { _ = try send(to: .roles(["x"])) } == .unknownRole("x"))
        #expect(
            roomError { _ = try send(to: .roles(Array(repeating: "host", count: 101))) }
                == .tooLong(field: "roles", count: 101, maximum: 100))
        #expect(
            roomError {
                _ = try send(to: .everybody, text: String(repeating: "x", count: 8193))
            } == .tooLong(field: "message", count: 8193, maximum: 8192))
        #expect(
            roomError {
                _ = try send(to: .everybody, type: String(repeating: "x", count: 129))
            } == .tooLong(field: "type", count: 129, maximum: 128))
        #expect(roomError { _ = try send(from: "x", to: .everybody) } == .notJoined("x"))
    }

    @Test mutating func aRoleWithoutThePermissionMaySayNothing() throws {
        var permissions = Permissions()
        permissions.broadcast = false
        fixture = RoomFixture(
            policy: try Policy(validating: [Role(name: "mute", permissions: permissions)]))
        try fixture.join("m", role: "mute")
        #expect(
            roomError { _ = try send(from: "m", to: .everybody) }
                == .missingPermission(.broadcast, role: "mute"))
    }

    @Test mutating func aFloodIsRefusedAndTheRateComesBackWithTime() throws {
        // One was spent on joining.
        for _ in 0..<99 { _ = try send(to: .everybody) }
        #expect(
            roomError { _ = try send(to: .everybody) } == .tooManyRequests(perSecond: 20))
        _ = try send(from: "b", to: .everybody)
        fixture.now += .milliseconds(500)
        for _ in 0..<10 { _ = try send(to: .everybody) }
        let error = roomError { _ = try send(to: .everybody) }
        #expect(error?.kind == .tooFrequent)
    }

    @Test mutating func aNewNameReachesEverybodyTheSenderToo() throws {
        try fixture.room.peerUpdated("b", name: "Ben", metadata: nil, at: fixture.now)
        let effects = fixture.drain()
        #expect(effects.toldPeers == ["a", "b", "c"])
        #expect(fixture.room.peers["b"]?.name == "Ben")
        try fixture.room.peerUpdated("b", name: nil, metadata: "{}", at: fixture.now)
        #expect(fixture.room.peers["b"]?.name == "Ben")
        #expect(fixture.room.peers["b"]?.metadata == "{}")
        #expect(
            roomError {
                try fixture.room.peerUpdated(
                    "b", name: String(repeating: "n", count: 257), metadata: nil,
                    at: fixture.now)
            } == .tooLong(field: "name", count: 257, maximum: 256))
        #expect(fixture.room.peers["b"]?.name == "Ben")
    }

    @Test mutating func streamingIsForThoseWhoMay() throws {
        try fixture.room.peers.require(.hlsStreaming, of: "a")
        let error = roomError { try fixture.room.peers.require(.hlsStreaming, of: "b") }
        #expect(error == .missingPermission(.hlsStreaming, role: "guest"))
        #expect(error?.kind == .forbidden)
    }

    @Test mutating func aChangeOfTheStreamsIsToldOnce() throws {
        let state = HLSState(variants: [HLSVariant(url: "u", state: .initialised)])
        fixture.room.streamingChanged(.hls(state))
        #expect(fixture.drain().toldPeers == ["a", "b", "c"])
        fixture.room.streamingChanged(.hls(state))
        #expect(fixture.drain().isEmpty)
        #expect(fixture.room.streaming.hls.isRunning)
    }

    @Test mutating func whatEndedWithASessionIsForgottenAndWhatRunsIsNot() throws {
        func leaveAll() { for peer in ["a", "b", "c"] as [PeerID] { fixture.room.left(peer) } }
        fixture.room.streamingChanged(
            .hls(HLSState(variants: [HLSVariant(url: "u", state: .started)])))
        leaveAll()
        #expect(fixture.room.streaming.hls.variants.count == 1)
        try fixture.join("a")
        fixture.room.streamingChanged(
            .hls(HLSState(variants: [HLSVariant(url: "u", state: .failed)])))
        leaveAll()
        #expect(fixture.room.streaming.hls == HLSState())
    }

    @Test mutating func aRecordingThatGoesOnOutlivesTheSessionAndOneThatEndedDoesNot() throws {
        func leaveAll() { for peer in ["a", "b", "c"] as [PeerID] { fixture.room.left(peer) } }
        fixture.room.streamingChanged(.recording(RoomRecording(state: .paused)))
        #expect(fixture.drain().toldPeers == ["a", "b", "c"])
        fixture.room.streamingChanged(.recording(RoomRecording(state: .paused)))
        #expect(fixture.drain().isEmpty)
        leaveAll()
        #expect(fixture.room.streaming.recording == RoomRecording(state: .paused))
        try fixture.join("a")
        fixture.room.streamingChanged(.recording(RoomRecording(state: .stopped)))
        leaveAll()
        #expect(fixture.room.streaming.recording == nil)
    }

    @Test mutating func variantsPastTheMaximumAreNotShown() {
        fixture.room.streamingChanged(
            .hls(
                HLSState(variants: (0..<20).map { HLSVariant(url: "\($0)", state: .started) })))
        #expect(fixture.room.streaming.hls.variants.count == 16)
    }
}
