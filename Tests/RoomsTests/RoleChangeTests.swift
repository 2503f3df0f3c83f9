import MediaKernel
import Rooms
import Testing

@Suite struct RoleChangeTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("h", role: "host")
        try fixture.join("a")
        try fixture.join("b")
    }

    mutating func force(
        _ peer: PeerID, _ role: String, by host: PeerID = "h"
    ) throws -> [RoomEffect] {
        try fixture.room.roleChangeRequested(
            of: peer, to: role, isForced: true, by: host, at: fixture.now)
        return fixture.drain()
    }

    mutating func offer(_ role: String, to peer: PeerID) throws -> RoleOffer {
        try fixture.room.roleChangeRequested(
            of: peer, to: role, isForced: false, by: "h", at: fixture.now)
        let told = fixture.drain().told(peer)
        guard case .roleOffered(let offer)? = told.first, told.count == 1 else {
            throw Unexpected(events: told)
        }
        return offer
    }

    mutating func accept(_ offer: RoleOffer, by peer: PeerID) throws -> [RoomEffect] {
        try fixture.room.roleOfferAccepted(
            token: offer.token, role: offer.role, by: peer, at: fixture.now)
        return fixture.drain()
    }

    struct Unexpected: Error { let events: [RoomEvent] }

    // MARK: - Forced

    /// The 100ms web client publishes and unpublishes only while its policy and its own peer
    /// differ.
    @Test mutating func aPeerHearsOfItsPolicyBeforeItHearsOfItself() throws {
        try fixture.publish([.microphone("m"), .camera("v")], by: "a")
        let effects = try force("a", "viewer")
        let own = effects.told("a")
        #expect(own.count == 2)
        #expect(own.first == .policyChanged(role: "viewer"))
        guard case .peerUpdated(let peer)? = own.last else {
            Issue.record("a was not told of itself: \(own)")
            return
        }
        #expect(peer.role == "viewer")
        #expect(peer.tracks.isEmpty)
        for other in ["h", "b"] as [PeerID] {
            let told = effects.told(other)
            #expect(told.first == .peerUpdated(peer))
            guard case .tracksRemoved(let tracks, _)? = told.last, told.count == 2 else {
                Issue.record("\(other) was told \(told)")
                continue
            }
            #expect(tracks.map(\.id) == ["m", "v"])
            #expect(effects.contains(.resubscribe(other)))
        }
        #expect(effects.contains(.refreshPreviews))
        #expect(fixture.room.subscriptions(of: "b").isEmpty)
        #expect(fixture.room.peers.trackCount == 0)
    }

    @Test mutating func whoMayPublishAfterwardsPublishes() throws {
        try fixture.join("c", role: "viewer")
        let refused = RoomError.mayNotPublish(kind: "video", role: "viewer")
        #expect(try fixture.leftOut([.camera("w")], by: "c") == [refused])
        let effects = try force("c", "guest")
        #expect(effects.told("c").first == .policyChanged(role: "guest"))
        #expect(try fixture.publish([.camera("w")], by: "c").told("a").count == 1)
    }

    @Test mutating func theRoleThatOneHasIsNoChange() throws {
        #expect(try force("a", "guest").isEmpty)
        try fixture.room.roleChangeRequested(
            of: "a", to: "guest", isForced: false, by: "h", at: fixture.now)
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func aPeerThatIsLostHasItsNewRoleWhenItReturns() throws {
        fixture.room.connectionLost("a", at: fixture.now)
        let effects = try force("a", "viewer")
        #expect(effects.told("a").isEmpty)
        #expect(effects.told("b").count == 1)
        #expect(fixture.room.peers["a"]?.role == "viewer")
    }

    @Test mutating func onlyWhoMayChangesRolesAndOnlyToRolesThatThereAre() throws {
        #expect(
            roomError { _ = try force("h", "viewer", by: "a") }
                == .missingPermission(.changeRole, role: "guest"))
        #expect(roomError { _ = try force("a", "pope") } == .unknownRole("pope"))
        #expect(
            roomError { _ = try force("a", Policy.recorderRole) }
                == .unknownRole(Policy.recorderRole))
        #expect(roomError { _ = try force("x", "viewer") } == .unknownPeer("x"))
        try fixture.join("bot", role: Policy.recorderRole)
        #expect(roomError { _ = try force("bot", "viewer") } == .unknownPeer("bot"))
        #expect(
            roomError { _ = try force("a", "viewer", by: "bot") }
                == .missingPermission(.changeRole, role: Policy.recorderRole))
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func changesAreCountedAsOtherRequestsAre() throws {
        // One was spent on joining.
        for round in 0..<99 { _ = try force("a", round.isMultiple(of: 2) ? "viewer" : "guest") }
        #expect(
            roomError { _ = try force("a", "guest") } == .tooManyRequests(perSecond: 20))
    }

    // MARK: - Polite

    @Test mutating func anOfferChangesNothingUntilItIsAccepted() throws {
        let offer = try offer("host", to: "a")
        #expect(offer.requestedBy == "h")
        #expect(offer.role == "host")
        #expect(fixture.room.peers["a"]?.role == "guest")
        let effects = try accept(offer, by: "a")
        #expect(effects.told("a").first == .policyChanged(role: "host"))
        #expect(fixture.room.peers["a"]?.role == "host")
        #expect(roomError { _ = try accept(offer, by: "a") } == .unknownRoleOffer)
    }

    @Test mutating func anOfferIsForOnePeerOneRoleAndFiveMinutes() throws {
        let offer = try offer("host", to: "a")
        #expect(roomError { _ = try accept(offer, by: "b") } == .unknownRoleOffer)
        let error = roomError {
            try fixture.room.roleOfferAccepted(
                token: offer.token, role: "viewer", by: "a", at: fixture.now)
        }
        #expect(error == .unknownRoleOffer)
        #expect(error?.kind == .forbidden)
        fixture.now += .seconds(300)
        #expect(roomError { _ = try accept(offer, by: "a") } == .unknownRoleOffer)
        fixture.now = Instant.zero + .milliseconds(299_999)
        _ = try accept(offer, by: "a")
    }

    @Test mutating func theOldestOfTooManyOffersIsForgotten() throws {
        let offers = try (0...RoomLimits.roleOffersPerPeer).map { _ in
            try offer("host", to: "a")
        }
        #expect(roomError { _ = try accept(offers[0], by: "a") } == .unknownRoleOffer)
        _ = try accept(offers[1], by: "a")
    }

    @Test mutating func anotherRoleEndsTheOffersOfBefore() throws {
        let offer = try offer("host", to: "a")
        _ = try force("a", "viewer")
        #expect(roomError { _ = try accept(offer, by: "a") } == .unknownRoleOffer)
    }

    // MARK: - Full roles

    mutating func enterSmallHall() throws {
        fixture = RoomFixture(
            policy: try Policy(validating: [
                Role(name: "host", permissions: .all), Role(name: "guest"),
                Role(name: "speaker", maxPeerCount: 2), Role(name: "nobody", maxPeerCount: -1),
            ]))
        try fixture.join("h", role: "host")
        for peer in ["a", "b", "c", "d"] as [PeerID] { try fixture.join(peer) }
    }

    @Test mutating func aFullRoleTakesNobodyMoreHoweverItIsGiven() throws {
        try enterSmallHall()
        let late = try offer("speaker", to: "c")
        _ = try force("a", "speaker")
        _ = try force("b", "speaker")
        let full = RoomError.roleFull(role: "speaker", maximum: 2)
        #expect(roomError { _ = try force("d", "speaker") } == full)
        #expect(roomError { _ = try accept(late, by: "c") } == full)
        #expect(
            roomError { _ = try force("d", "nobody") } == .roleFull(role: "nobody", maximum: 0))
        #expect(fixture.drain().isEmpty)
        // The freed place is available again, and the offer still stands.
        _ = try force("a", "guest")
        _ = try accept(late, by: "c")
    }

    @Test mutating func aChangeInBulkTakesAsManyAsFitAndSaysHowManyDidNot() throws {
        try enterSmallHall()
        let error = roomError {
            try fixture.room.roleChangeRequested(
                ofRoles: ["guest", "host"], to: "speaker", by: "h", at: fixture.now)
        }
        #expect(error == .roleFullForSome(role: "speaker", maximum: 2, left: 3))
        #expect(error?.kind == .forbidden)
        #expect(
            error?.message
                == "role 'speaker' is full: the room takes 2 peers of it, and 3 keep theirs")
        let effects = fixture.drain()
        #expect(effects.told("h").first == .policyChanged(role: "speaker"))
        #expect(effects.told("a").contains(.policyChanged(role: "speaker")))
        #expect(
            fixture.room.peers.visible.map(\.role)
                == ["speaker", "speaker", "guest", "guest", "guest"])
    }

    /// The only place on the stage is held by `s`, whose socket and media are gone.
    private mutating func leaveTheStageToAGhost() throws {
        fixture = RoomFixture(
            policy: try Policy(validating: [
                Role(name: "host", permissions: .all), Role(name: "guest"),
                Role(name: "speaker", maxPeerCount: 1),
            ]))
        try fixture.join("h", role: "host")
        try fixture.join("s", role: "speaker")
        for peer in ["a", "b"] as [PeerID] { try fixture.join(peer) }
        fixture.room.connectionLost("s", at: fixture.now)
        fixture.room.mediaLost("s", at: fixture.now)
        // It may return any moment.
        #expect(
            roomError { _ = try force("a", "speaker") } == .roleFull(role: "speaker", maximum: 1))
        fixture.now += .seconds(10)
        fixture.room.handleTimeout(at: fixture.now)
        _ = fixture.drain()
    }

    @Test mutating func whoIsTakenForGoneGivesItsRoleToAnother() throws {
        try leaveTheStageToAGhost()
        let effects = try force("a", "speaker")
        #expect(effects.contains(.releaseMedia("s")))
        #expect(effects.told("h").count == 1, "of the other it has heard")
        #expect(fixture.room.peers["a"]?.role == "speaker" && fixture.room.peers.hasLeft("s"))
        #expect(
            roomError { _ = try force("b", "speaker") } == .roleFull(role: "speaker", maximum: 1))
    }

    @Test mutating func whoIsTakenForGoneGivesWayToAChangeInBulk() throws {
        try leaveTheStageToAGhost()
        let error = roomError {
            try fixture.room.roleChangeRequested(
                ofRoles: ["guest"], to: "speaker", by: "h", at: fixture.now)
        }
        #expect(error == .roleFullForSome(role: "speaker", maximum: 1, left: 1))
        let effects = fixture.drain()
        #expect(effects.contains(.releaseMedia("s")))
        #expect(fixture.room.peers.visible.map(\.role) == ["host", "speaker", "guest"])
    }

    @Test mutating func aChangeInBulkIsOfTheNamedRolesAndNeverOfTheRecorder() throws {
        try fixture.join("bot", role: Policy.recorderRole)
        try fixture.room.roleChangeRequested(
            ofRoles: ["guest"], to: "viewer", by: "h", at: fixture.now)
        _ = fixture.drain()
        #expect(fixture.room.peers.visible.map(\.role) == ["host", "viewer", "viewer"])
        #expect(fixture.room.peers["bot"]?.role == Policy.recorderRole)
        try fixture.room.roleChangeRequested(
            ofRoles: ["guest"], to: "viewer", by: "h", at: fixture.now)
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func aChangeInBulkNamesItsRoles() throws {
        func error(_ roles: [String], by peer: PeerID = "h") -> RoomError? {
            roomError {
                try fixture.room.roleChangeRequested(
                    ofRoles: roles, to: "viewer", by: peer, at: fixture.now)
            }
        }
        #expect(error([]) == .invalidField(field: "roles", reason: "is empty"))
        #expect(error([Policy.recorderRole]) == .unknownRole(Policy.recorderRole))
        #expect(
            error(Array(repeating: "guest", count: 101))
                == .tooLong(field: "roles", count: 101, maximum: 100))
        #expect(error(["guest"], by: "a") == .missingPermission(.changeRole, role: "guest"))
        let clash = error(["guest", "viewer"])
        #expect(clash == .roleClash && clash?.kind == .invalid)
        #expect(clash?.message == "target role clash with requested roles")
        #expect(fixture.room.peers.visible.map(\.role) == ["host", "guest", "guest"])
    }
}
