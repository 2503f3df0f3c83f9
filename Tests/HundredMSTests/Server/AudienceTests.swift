import HundredMS
import MediaKernel
import RoomHost
import Rooms
import Testing

/// The room's size as reported to peers and previews.
@Suite(.timeLimit(.minutes(5))) struct AudienceTests {
    // MARK: - Counts

    @Test func changedCountsAreToldToAllAtTheNextTick() async throws {
        let fixture = SignallingFixture()
        let ann = try await fixture.join("ann")
        await fixture.pass(.seconds(1))
        #expect(try await ann.methods() == [])
        let ben = try await fixture.join("ben")
        _ = try await fixture.join("cat")
        #expect(try await ann.methods() == ["on-peer-join", "on-peer-join"])
        await fixture.pass(.seconds(1))
        let frames = try await ann.drain()
        #expect(frames.map(\.method) == ["session-info"])
        #expect(frames.first?.params["peer_count"].integer == 3)
        #expect(frames.first?.params["track_count"].integer == 0)
        // A peer notified on arrival is not notified again.
        #expect(try await ben.methods() == ["on-peer-join", "session-info"])
        await fixture.pass(.seconds(1))
        #expect(try await ann.methods() == [])

        _ = try await ben.call(
            "offer",
            """
            {"desc":{"type":"offer","sdp":"x"},"tracks":{"m":{"track_id":"m","stream_id":"s",\
            "type":"audio"}}}
            """)
        await ben.notify("leave")
        await fixture.pass(.seconds(1))
        #expect(
            try await ann.methods() == [
                "on-track-add", "on-peer-leave", "on-track-remove", "session-info",
            ])
    }

    // MARK: - Previews

    private func policy(_ roomState: String) throws -> Policy {
        try PolicyFile.policy(
            fromJSON: """
                {"roles":{"host":{"permissions":{"sendRoomState":true}},"guest":{}},
                 "settings":{"roomState":\(roomState)}}
                """)
    }

    @Test(arguments: [
        (#"{"enabled":false,"sendPeerList":true}"#, "host"),
        (#"{"sendPeerList":true}"#, "host"),
        (#"{"enabled":true,"sendPeerList":true}"#, "guest"),
    ])
    func whoIsToSeeNothingBeforeItJoinsDoesNot(settings: String, role: String) async throws {
        let fixture = SignallingFixture(policy: try policy(settings))
        let visitor = try await fixture.connect("visitor", role: role)
        #expect(try await visitor.methods() == ["on-policy-change"])
        _ = try await fixture.join("ann", role: "host")
        await fixture.pass(.seconds(10))
        #expect(try await visitor.methods() == [])
    }

    @Test(arguments: [true, false])
    func previewsCarryPeersWhereTheTemplateSaysSo(sendsPeers: Bool) async throws {
        let fixture = SignallingFixture(
            policy: try policy(#"{"enabled":true,"sendPeerList":\#(sendsPeers)}"#))
        _ = try await fixture.join("ann", role: "host")
        let visitor = try await fixture.connect("visitor", role: "host")
        let frames = try await visitor.drain()
        #expect(
            frames.map(\.method) == ["on-policy-change", "room-info", "session-info", "room-state"])
        // The only number that 100ms' clients read.
        #expect(frames[2].params["peer_count"].integer == 1)
        let state = try #require(frames.first { $0.method == "room-state" })
        #expect(state.params["peer_count"].integer == 1)
        #expect(state.params["peers"].keys == (sendsPeers ? ["ann"] : []))
        #expect(state.text.contains(#""peers""#) == sendsPeers)
    }

    @Test func previewsComeNoMoreOftenThanTheTemplateSays() async throws {
        let fixture = SignallingFixture(
            policy: try policy(#"{"enabled":true,"messageInterval":10}"#))
        let visitor = try await fixture.connect("visitor", role: "host")
        _ = try await visitor.drain()
        _ = try await fixture.join("ann", role: "host")
        await fixture.pass(.seconds(1))
        #expect(try await visitor.methods() == ["session-info", "room-state"])
        _ = try await fixture.join("ben", role: "host")
        await fixture.pass(.seconds(9))
        #expect(try await visitor.methods() == [])
        await fixture.pass(.seconds(1))
        let states = try await visitor.drain()
        #expect(states.map(\.method) == ["session-info", "room-state"])
        #expect(states.first?.params["peer_count"].integer == 2)
    }

    // MARK: - Large rooms

    private static func largeFixture(from peers: Int) -> SignallingFixture {
        var limits = RoomLimits()
        limits.largeRoomPeers = peers
        return SignallingFixture(roomLimits: limits)
    }

    @Test func aLargeRoomIsCalledOneWhenItIs() async throws {
        let fixture = Self.largeFixture(from: 2)
        let ann = try await fixture.connect("ann")
        _ = try await ann.call("join", #"{"name":"A","offer":{"type":"offer","sdp":"o"}}"#)
        let before = try await ann.drain().first { $0.method == "room-info" }
        #expect(before?.params["large_room_optimization"] == .bool(false))
        let ben = try await fixture.join("ben")
        _ = try await ann.drain()
        await fixture.pass(.seconds(1))
        let frames = try await ann.drain()
        #expect(frames.map(\.method) == ["room-info", "session-info"])
        #expect(frames.first?.params["large_room_optimization"] == .bool(true))
        await ben.notify("leave")
        await fixture.pass(.seconds(1))
        let after = try await ann.drain().first { $0.method == "room-info" }
        #expect(after?.params["large_room_optimization"] == .bool(false))
    }

    @Test func whoWasQuietIsAddedByAnUpdateBeforeTheRoomIsCalledLargeNoMore() async throws {
        let fixture = Self.largeFixture(from: 3)
        let ann = try await fixture.join("ann")
        let others = [try await fixture.join("ben"), try await fixture.join("cat")]
        _ = try await fixture.join("late", role: "viewer")
        await fixture.pass(.seconds(1))
        for client in others { await client.notify("leave") }
        _ = try await ann.drain()
        await fixture.pass(.seconds(1))
        let frames = try await ann.drain()
        try #require(
            frames.map(\.method) == ["on-peer-update", "room-info", "session-info"])
        #expect(frames[0].params["peer_id"].string == "late")
        #expect(frames[0].params["realtime"] == .bool(true))
        #expect(frames[1].params["large_room_optimization"] == .bool(false))
    }

    @Test func aRaisedHandIsAnUpdateThatAddsThePeerAndALoweredOneRemovesIt() async throws {
        let fixture = Self.largeFixture(from: 1)
        let ann = try await fixture.join("ann")
        let late = try await fixture.join("late", role: "viewer")
        #expect(try await ann.methods() == [])
        _ = try await late.call("group-join", #"{"name":"_handraise"}"#)
        let raised = try await ann.drain()
        #expect(raised.map(\.method) == ["on-peer-update"])
        #expect(raised.first?.params["realtime"] == .bool(true))
        #expect(raised.first?.params["peer_id"].string == "late")
        _ = try await late.drain()
        _ = try await late.call("group-leave", #"{"name":"_handraise"}"#)
        let lowered = try await ann.drain()
        #expect(lowered.map(\.method) == ["on-peer-update"])
        #expect(lowered.first?.params["realtime"] == .bool(false))
        let own = try await late.drain()
        #expect(own.first?.params["realtime"] == .bool(true))
    }

    @Test func whatAJoinIsToldStaysTheSameHoweverManyCome() async throws {
        let fixture = Self.largeFixture(from: 10)
        let ann = try await fixture.join("ann")
        var sizes: Set<Int> = []
        for index in 100..<400 {
            let client = try await fixture.connect(PeerID("p\(index)"), role: "viewer")
            _ = try await client.call("join", #"{"name":"P","offer":{"type":"offer","sdp":"o"}}"#)
            let list = try await client.drain().first { $0.method == "peer-list" }
            if index >= 110 { sizes.insert(list?.text.utf8.count ?? 0) }
        }
        #expect(sizes.count == 1)
        #expect(try await ann.methods() == Array(repeating: "on-peer-join", count: 9))
        #expect(await fixture.host.snapshot().peerCount == 301)
    }
}
