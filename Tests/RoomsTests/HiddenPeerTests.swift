import MediaKernel
import Rooms
import Testing

/// Other projects leak their hidden recorder after a reconnection, or crash user interfaces with a
/// peer that has no metadata. Here no request reveals it.
@Suite struct HiddenPeerTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("a", role: "host")
        try fixture.join("bot", role: Policy.recorderRole, user: "bot")
        try fixture.join("b")
        try fixture.publish([.camera("v"), .microphone("m")], by: "a")
    }

    @Test mutating func itIsInNoListAndNoCount() throws {
        #expect(fixture.room.peers.visibleCount == 2)
        #expect(fixture.room.peers.visible.map(\.id) == ["a", "b"])
        #expect(fixture.room.peers.listed(for: "a").map(\.id) == ["b"])
        #expect(fixture.room.peers.listed(for: "bot").map(\.id) == ["a", "b"])
        #expect(roomError { _ = try fixture.room.peers.visiblePeer("bot") } == .unknownPeer("bot"))
    }

    @Test mutating func nothingItDoesIsAnEvent() throws {
        fixture = RoomFixture()
        try fixture.join("a", role: "host")
        #expect(try fixture.join("bot", role: Policy.recorderRole) == [.resubscribe("bot")])
        try fixture.room.peerUpdated("bot", name: "Bot", metadata: "x", at: fixture.now)
        #expect(fixture.drain().isEmpty)
        fixture.room.connectionLost("bot", at: fixture.now)
        try fixture.room.connectionReturned(
            "bot", of: TokenOwner(userID: "user-bot"), at: fixture.now)
        #expect(fixture.drain().isEmpty)
        fixture.room.left("bot")
        #expect(fixture.drain() == [.releaseMedia("bot")])
    }

    @Test mutating func itMaySayAndPublishNothing() throws {
        let refused = RoomError.missingPermission(.broadcast, role: Policy.recorderRole)
        #expect(
            roomError {
                _ = try fixture.room.messageSent(
                    by: "bot", to: .everybody, type: "chat", body: OpaqueJSON(text: "1"),
                    at: fixture.now, wall: fixture.wall)
            } == refused)
        #expect(
            roomError {
                _ = try fixture.room.valueSet(
                    "k", to: OpaqueJSON(text: "1"), ifVersion: nil, by: "bot", at: fixture.now,
                    wall: fixture.wall)
            } == refused)
        #expect(
            try fixture.leftOut([.camera("w")], by: "bot")
                == [.mayNotPublish(kind: "video", role: Policy.recorderRole)])
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func itCannotBeAddressedOrRemovedAsIfItWereNotThere() throws {
        #expect(
            roomError {
                _ = try fixture.room.messageSent(
                    by: "a", to: .peer("bot"), type: "chat", body: OpaqueJSON(text: "1"),
                    at: fixture.now, wall: fixture.wall)
            } == .unknownPeer("bot"))
        #expect(
            roomError {
                _ = try fixture.room.messageSent(
                    by: "a", to: .roles([Policy.recorderRole]), type: "chat",
                    body: OpaqueJSON(text: "1"), at: fixture.now, wall: fixture.wall)
            } == .unknownRole(Policy.recorderRole))
        #expect(
            roomError {
                try fixture.room.removalRequested(
                    of: "bot", by: "a", reason: "", at: fixture.now)
            }
                == .unknownPeer("bot"))
    }

    @Test mutating func itReceivesEverythingAndHearsOfEverybody() throws {
        #expect(fixture.room.subscriptions(of: "bot").map(\.id) == ["v", "m"])
        let effects = try fixture.join("c")
        #expect(effects.told("bot").count == 1)
        let published = try fixture.publish([.camera("w")], by: "c")
        #expect(published.contains(.resubscribe("bot")))
        #expect(published.told("bot").count == 1)
        fixture.room.streamingChanged(
            .hls(HLSState(variants: [HLSVariant(url: "u", state: .started)])))
        #expect(fixture.drain().told("bot").count == 1)
    }

    @Test mutating func itKeepsTheSessionAndDoesNotFillARoleForPeople() throws {
        let session = fixture.room.session
        fixture.room.left("a")
        fixture.room.left("b")
        #expect(fixture.room.session == session)
        #expect(fixture.room.peers.visibleCount == 0)
        #expect(!fixture.room.isEmpty)
    }

    @Test mutating func itsRoleIsKnownToItselfAlone() {
        let policy = fixture.room.policy
        #expect(policy.rolesKnown(to: "host").map(\.name) == ["host", "guest", "viewer"])
        #expect(
            policy.rolesKnown(to: Policy.recorderRole).map(\.name)
                == ["host", "guest", "viewer", Policy.recorderRole])
    }
}
