import MediaKernel
import Rooms
import Testing

/// A room with the standard policy that is large from three peers on.
@Suite struct LargeRoomTests {
    var fixture: RoomFixture

    init() throws {
        var limits = RoomLimits()
        limits.largeRoomPeers = 3
        fixture = RoomFixture(limits: limits)
        try fixture.join("host", role: "host")
        try fixture.join("early", role: "viewer")
    }

    @Test mutating func fromThatManyOnNobodyIsToldOfNewcomersWhoOnlyWatch() throws {
        #expect(!fixture.room.isLarge)
        #expect(try fixture.join("third", role: "viewer").told("host").count == 1)
        #expect(fixture.room.isLarge)
        let effects = try fixture.join("late", role: "viewer")
        #expect(effects.toldPeers.isEmpty && effects.contains(.refreshPreviews))
        #expect(fixture.room.peers.visibleCount == 4)
        #expect(fixture.room.peers.listed.map(\.id) == ["host", "early", "third"])
        #expect(fixture.room.peers.listed(for: "late").map(\.id) == ["host", "early", "third"])
        #expect(fixture.room.peers.listed(for: "host").map(\.id) == ["early", "third"])
        // A search finds it.
        #expect(try fixture.room.peers.visiblePeer("late").id == "late")
        let found = try fixture.room.peersSearched(
            "late", limit: nil, offset: nil, by: "host", at: fixture.now)
        #expect(found.peers.map(\.id) == ["late"])
        fixture.room.left("late")
        #expect(fixture.drain().toldPeers.isEmpty)
        // A peer that may publish is announced to all.
        #expect(try fixture.join("guest").told("host").count == 1)
    }

    @Test mutating func aRaisedHandShowsAQuietPeerUntilItIsLowered() throws {
        try fixture.join("third", role: "viewer")
        try fixture.join("late", role: "viewer")
        try fixture.room.handChanged(
            of: "late", isRaised: true, by: "late", at: fixture.now)
        #expect(fixture.drain().updated() == ["host", "early", "third", "late"])
        #expect(fixture.room.peers.listed.map(\.id).contains("late"))
        try fixture.room.handChanged(
            of: "late", isRaised: false, by: "host", at: fixture.now)
        let effects = fixture.drain()
        #expect(effects.updated() == ["late"])
        #expect(effects.receded() == ["host", "early", "third"])
        #expect(!fixture.room.peers.listed.map(\.id).contains("late"))
        // Joining another group does not make it listed.
        try fixture.room.groupChanged("team", of: "late", isIn: true, by: "late", at: fixture.now)
        #expect(fixture.drain().toldPeers == ["late"])
    }

    @Test mutating func aRoleThatPublishesShowsAQuietPeerAndOneThatDoesNotHidesItAgain() throws {
        try fixture.join("third", role: "viewer")
        try fixture.join("late", role: "viewer")
        try fixture.room.roleChanged("late", to: "guest")
        let shown = fixture.drain()
        #expect(shown.updated() == ["host", "early", "third", "late"])
        guard case .policyChanged = shown.told("late").first else {
            Issue.record("\(shown)")
            return
        }
        try fixture.publish([.microphone("m")], by: "late")
        try fixture.room.roleChanged("late", to: "viewer")
        let effects = fixture.drain()
        #expect(effects.updated() == ["late"])
        #expect(effects.receded() == ["host", "early", "third"])
        #expect(fixture.room.subscriptions(of: "host").isEmpty)
    }

    @Test mutating func aQuietPeersNameIsToldToItselfOnly() throws {
        try fixture.join("third", role: "viewer")
        try fixture.join("late", role: "viewer")
        try fixture.room.peerUpdated("late", name: "Lea", metadata: nil, at: fixture.now)
        #expect(fixture.drain().toldPeers == ["late"])
    }

    @Test mutating func whoWasThereBeforeStaysInTheLists() throws {
        try fixture.join("third", role: "viewer")
        try fixture.room.handChanged(
            of: "early", isRaised: true, by: "early", at: fixture.now)
        try fixture.room.handChanged(
            of: "early", isRaised: false, by: "early", at: fixture.now)
        #expect(fixture.drain().receded().isEmpty)
        #expect(fixture.room.peers.listed.map(\.id).contains("early"))
    }

    @Test mutating func aQuietPeersAbsenceAndReturnAreToldToNobody() throws {
        try fixture.join("third", role: "viewer")
        try fixture.join("late", role: "viewer", user: "lea")
        fixture.room.connectionLost("late", at: .zero)
        fixture.room.mediaLost("late", at: .zero)
        fixture.room.handleTimeout(at: .zero + .seconds(10))
        #expect(fixture.room.peers.visibleCount == 3)
        try fixture.room.connectionReturned("late", of: TokenOwner(userID: "lea"), at: fixture.now)
        #expect(fixture.room.peers.visibleCount == 4)
        #expect(fixture.drain().toldPeers == ["late"])
    }

    /// 100ms' web client sends messages only to peers that it knows, unless the room counts as
    /// large.
    @Test mutating func aRoomThatShrinksShowsWhoWasQuietAndForgetsWhoCameLate() throws {
        var limits = RoomLimits()
        limits.largeRoomPeers = 5
        fixture = RoomFixture(limits: limits)
        try fixture.join("host", role: "host")
        for peer in ["a", "b", "c", "d", "late", "hand"] as [PeerID] {
            try fixture.join(peer, role: "viewer")
        }
        try fixture.join("bot", role: Policy.recorderRole)
        try fixture.room.handChanged(
            of: "hand", isRaised: true, by: "hand", at: fixture.now)
        // About as many: it stays large.
        for peer in ["a", "b", "c"] as [PeerID] { fixture.room.left(peer) }
        _ = fixture.drain()
        fixture.room.handleTimeout(at: fixture.now)
        let before = fixture.drain()
        #expect(before.isEmpty && fixture.room.isLarge && fixture.room.peers.visibleCount == 4)

        fixture.room.left("d")
        _ = fixture.drain()
        fixture.room.handleTimeout(at: fixture.now)
        let effects = fixture.drain()
        #expect(effects.changed() == ["late"])
        #expect(effects.updated() == ["host", "hand", "bot"])
        #expect(effects.contains(.refreshPreviews))
        #expect(!fixture.room.isLarge)
        #expect(fixture.room.peers.listed.map(\.id) == ["host", "late", "hand"])
        try fixture.room.handChanged(
            of: "hand", isRaised: false, by: "hand", at: fixture.now)
        let lowered = fixture.drain()
        #expect(lowered.updated() == ["host", "late", "hand", "bot"])
        #expect(lowered.receded().isEmpty)
        // It grows again, and these peers were listed before.
        for peer in ["e", "f"] as [PeerID] { try fixture.join(peer, role: "viewer") }
        try fixture.room.peerUpdated("late", name: "Lea", metadata: nil, at: fixture.now)
        let renamed = fixture.drain()
        #expect(fixture.room.isLarge && renamed.updated().contains("host"))
    }

    @Test mutating func manyAreShownSomeAtATimeAndTheRoomIsLargeUntilAllAre() throws {
        var limits = RoomLimits()
        limits.largeRoomPeers = 100
        fixture = RoomFixture(limits: limits)
        try fixture.join("host", role: "host")
        for index in 0..<99 { try fixture.join(PeerID("early\(index)"), role: "viewer") }
        for index in 0..<60 { try fixture.join(PeerID("late\(index)"), role: "viewer") }
        for index in 0..<99 { fixture.room.left(PeerID("early\(index)")) }
        _ = fixture.drain()
        fixture.room.handleTimeout(at: fixture.now)
        let first = fixture.drain().changed()
        #expect(first == (0..<50).map { PeerID("late\($0)") })
        #expect(fixture.room.isLarge && fixture.room.peers.listed.count == 51)
        fixture.room.handleTimeout(at: fixture.now)
        let second = fixture.drain().changed()
        #expect(second == (50..<60).map { PeerID("late\($0)") })
        #expect(!fixture.room.isLarge && fixture.room.peers.listed.count == 61)
        fixture.room.handleTimeout(at: fixture.now)
        let third = fixture.drain()
        #expect(third.isEmpty)
    }

    @Test mutating func whoIsTakenForGoneWhenTheRoomShrinksIsShownWhenItIsBack() throws {
        try fixture.join("third", role: "viewer")
        try fixture.join("late", role: "viewer", user: "lea")
        fixture.room.connectionLost("late", at: .zero)
        fixture.room.mediaLost("late", at: .zero)
        for peer in ["early", "third"] as [PeerID] { fixture.room.left(peer) }
        _ = fixture.drain()
        fixture.room.handleTimeout(at: .zero + .seconds(10))
        let gone = fixture.drain()
        #expect(gone.told("host").isEmpty && !fixture.room.isLarge)
        try fixture.room.connectionReturned("late", of: TokenOwner(userID: "lea"), at: fixture.now)
        let back = fixture.drain()
        guard case .peerJoined(let peer)? = back.told("host").first else {
            Issue.record("\(back)")
            return
        }
        #expect(peer.id == "late" && back.told("host").count == 1)
    }

    @Test mutating func whatAThousandNewcomersCostTheOthersIsNothing() throws {
        try fixture.join("third", role: "viewer")
        var effects = 0
        for index in 0..<1000 {
            effects += try fixture.join(PeerID("v\(index)"), role: "viewer").toldPeers.count
        }
        #expect(effects == 0)
        #expect(fixture.room.peers.visibleCount == 1003)
        #expect(fixture.room.peers.listed(for: "v999").count == 3)
    }
}

extension [RoomEffect] {
    /// The peers notified of a peer's change.
    fileprivate func updated() -> Set<PeerID> {
        recipients { if case .peerUpdated = $0 { true } else { false } }
    }

    /// The peers that the notifications concern.
    fileprivate func changed() -> [PeerID] {
        compactMap { effect in
            guard case .tell(_, .peerUpdated(let peer)) = effect else { return nil }
            return peer.id
        }
    }

    /// The peers notified that a peer only watches.
    fileprivate func receded() -> Set<PeerID> {
        recipients { if case .peerReceded = $0 { true } else { false } }
    }

    private func recipients(of isMeant: (RoomEvent) -> Bool) -> Set<PeerID> {
        Set(
            flatMap { effect -> [PeerID] in
                guard case .tell(let peers, let event) = effect, isMeant(event) else { return [] }
                return peers
            })
    }
}
