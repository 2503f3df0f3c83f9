import MediaKernel
import Rooms
import Testing

@Suite struct JoiningTests {
    var fixture = RoomFixture()

    @Test mutating func theFirstPeerStartsTheSessionAndTheLastOneEndsIt() throws {
        #expect(fixture.room.session == nil)
        try fixture.join("a")
        let session = try #require(fixture.room.session)
        #expect(session.startedAt == UnixTime(milliseconds: 1_720_000_000_000))
        #expect(session.id.rawValue.count == 24)
        try fixture.join("b")
        #expect(fixture.room.session == session)
        fixture.room.left("a")
        #expect(fixture.room.session == session)
        fixture.room.left("b")
        #expect(fixture.room.session == nil)
        try fixture.join("a")
        #expect(fixture.room.session?.id != session.id)
    }

    @Test mutating func nobodyHearsOfAPeerBeforeItsMediaIsUp() throws {
        try fixture.join("a")
        try fixture.room.joinRequested(
            JoinRequest(peer: "b", userID: "u", role: "guest", name: "B"), at: fixture.now)
        #expect(fixture.drain().isEmpty)
        #expect(fixture.room.peers.visibleCount == 1)
        #expect(fixture.room.peers.visible.map(\.id) == ["a"])
        #expect(fixture.room.subscriptions(of: "b").isEmpty)
        try fixture.room.joinCompleted("b", wall: fixture.wall)
        let effects = fixture.drain()
        guard case .peerJoined(let peer)? = effects.told("a").first else {
            Issue.record("a was not told: \(effects)")
            return
        }
        #expect(peer.id == "b")
        #expect(peer.name == "B")
        #expect(effects.told("b").isEmpty)
        #expect(effects.contains(.resubscribe("b")))
    }

    @Test mutating func aPeerWhoseMediaFailsLeavesNoTrace() throws {
        try fixture.join("a")
        try fixture.room.joinRequested(
            JoinRequest(peer: "b", userID: "u", role: "guest", name: "B"), at: fixture.now)
        fixture.room.joinAbandoned("b")
        #expect(fixture.drain().isEmpty)
        #expect(fixture.room.peers["b"] == nil)
    }

    @Test mutating func whoLeavesBeforeItHasJoinedLeavesNoSessionBehind() throws {
        try fixture.join("a")
        try fixture.room.joinRequested(
            JoinRequest(peer: "b", userID: "u", role: "guest", name: "B"), at: fixture.now)
        fixture.room.left("a")
        let session = try #require(fixture.room.session)
        _ = fixture.drain()
        fixture.room.left("b")
        let effects = fixture.drain()
        #expect(effects == [.noted(.sessionClosed(session))])
        #expect(fixture.room.isEmpty && fixture.room.session == nil)
    }

    @Test mutating func aPeerCannotJoinTwice() throws {
        try fixture.join("a")
        let error = roomError { try fixture.join("a") }
        #expect(error == .alreadyJoined("a"))
        #expect(error?.kind == .invalid)
    }

    @Test mutating func anUnknownRoleIsRefusedByName() {
        let error = roomError { try fixture.join("a", role: "emperor") }
        #expect(error == .unknownRole("emperor"))
        #expect(error == .unknownRole("emperor"))
    }

    @Test(
        arguments: [
            (PeerID(""), "N", "", .invalidField(field: "peer id", reason: "is empty")),
            (
                "a b", "N", "",
                .invalidField(field: "peer id", reason: "must be visible ASCII without blanks")
            ),
            (
                PeerID(String(repeating: "a", count: 129)), "N", "",
                .tooLong(field: "peer id", count: 129, maximum: 128)
            ),
            (
                "a", String(repeating: "é", count: 257), "",
                .tooLong(field: "name", count: 257, maximum: 256)
            ),
            (
                "a", "N", String(repeating: "m", count: 8193),
                .tooLong(field: "data", count: 8193, maximum: 8192)
            ),
        ] as [(PeerID, String, String, RoomError)])
    mutating func fieldsPastTheirLimitsAreRefusedByName(
        peer: PeerID, name: String, metadata: String, refusal: RoomError
    ) {
        let request = JoinRequest(
            peer: peer, userID: "u", role: "guest", name: name, metadata: metadata)
        let error = roomError { try fixture.room.joinRequested(request, at: fixture.now) }
        #expect(error == refusal)
        #expect(error?.kind == .invalid)
    }

    @Test mutating func fieldsAtTheirLimitsAreTaken() throws {
        try fixture.room.joinRequested(
            JoinRequest(
                peer: PeerID(String(repeating: "a", count: 128)), userID: "u", role: "guest",
                name: String(repeating: "é", count: 256),
                metadata: String(repeating: "m", count: 8192)),
            at: fixture.now)
    }

    @Test mutating func aFullRoomRefusesWithItsMaximum() throws {
        var limits = RoomLimits()
        limits.peers = 2
        fixture = RoomFixture(limits: limits)
        try fixture.join("a")
        try fixture.join("b")
        let error = roomError { try fixture.join("c") }
        #expect(error == .roomFull(maximum: 2))
        #expect(error?.kind == .forbidden)
        fixture.room.left("a")
        try fixture.join("c")
    }

    @Test mutating func aFullRoomStillHasAPlaceForItsRecorders() throws {
        var limits = RoomLimits()
        limits.peers = 2
        fixture = RoomFixture(limits: limits)
        try fixture.join("a")
        try fixture.join("b")
        for index in 0..<RoomLimits.hiddenPlaces {
            try fixture.join(PeerID("bot\(index)"), role: Policy.recorderRole)
        }
        #expect(
            roomError { try fixture.join("more", role: Policy.recorderRole) }
                == .roomFull(maximum: 2))
        #expect(roomError { try fixture.join("c") } == .roomFull(maximum: 2))
        // They take no other peer's place either.
        fixture.room.left("a")
        try fixture.join("c")
        #expect(roomError { try fixture.join("d") } == .roomFull(maximum: 2))
    }

    @Test mutating func whoLeavesAndComesAgainMayAskNoMoreForThat() throws {
        var limits = RoomLimits()
        (limits.fanOutBurst, limits.fanOutPerSecond) = (6, 2)
        (limits.readsBurst, limits.readsPerSecond) = (3, 1)
        fixture = RoomFixture(limits: limits)
        let tooMany = RoomError.tooManyRequests(perSecond: 2)
        func say(_ peer: PeerID) throws {
            _ = try fixture.room.messageSent(
                by: peer, to: .everybody, type: "chat", body: OpaqueJSON(text: "1"),
                at: fixture.now, wall: fixture.wall)
        }
        try fixture.join("a", user: "ann", token: "t")
        for _ in 0..<2 { try say("a") }
        for _ in 0..<3 { try fixture.room.readAsked(by: "a", at: fixture.now) }
        // It is the last to leave, and joins with another id: the token is the same.
        fixture.room.left("a")
        try fixture.join("a2", user: "ann", token: "t")
        #expect(
            roomError { try fixture.room.readAsked(by: "a2", at: fixture.now) }
                == .tooManyRequests(perSecond: 1))
        fixture.room.ended(lock: false, reason: "")
        try fixture.room.joinRequested(
            JoinRequest(peer: "a", userID: "ann", tokenID: "t", role: "guest", name: "A"),
            at: fixture.now)
        // A failed join counts as a join all the same.
        fixture.room.joinAbandoned("a")
        try fixture.join("a", user: "ann", token: "t")
        fixture.room.left("a")
        #expect(roomError { try fixture.join("a", user: "ann", token: "t") } == tooMany)
        try fixture.join("b", user: "ann", token: "u")

        fixture.now += .seconds(1)
        fixture.room.handleTimeout(at: fixture.now)
        try fixture.join("a", user: "ann", token: "t")
        try say("a")
        #expect(roomError { try say("a") } == tooMany)
        fixture.room.left("a")
        fixture.now += .seconds(3)
        fixture.room.handleTimeout(at: fixture.now)
        try fixture.join("a", user: "ann", token: "t")
        for _ in 0..<5 { try say("a") }
        #expect(roomError { try say("a") } == tooMany)
    }

    @Test mutating func aRoleTakesAsManyPeersAsItSaysAndMinusOneIsNone() throws {
        fixture = RoomFixture(
            policy: try Policy(validating: [
                Role(name: "guest"), Role(name: "host", maxPeerCount: 1),
                Role(name: "nobody", maxPeerCount: -1),
            ]))
        try fixture.join("a", role: "host")
        #expect(
            roomError { try fixture.join("b", role: "host") }
                == .roleFull(role: "host", maximum: 1))
        #expect(
            roomError { try fixture.join("b", role: "nobody") }
                == .roleFull(role: "nobody", maximum: 0))
        try fixture.join("b", role: "guest")
    }

    @Test mutating func whoLeavesIsToldToAllOthersAndItsMediaIsReleased() throws {
        try fixture.join("a")
        try fixture.join("b")
        try fixture.publish([.camera("v")], by: "b")
        fixture.room.left("b")
        let effects = fixture.drain()
        #expect(effects.contains(.releaseMedia("b")))
        #expect(effects.contains(.resubscribe("a")))
        // In this order: from the second, 100ms' clients know which tracks to remove.
        let told = effects.told("a")
        guard told.count == 2, case .peerLeft(let peer) = told[0],
            case .tracksRemoved(let tracks, let publisher) = told[1]
        else {
            Issue.record("\(told)")
            return
        }
        #expect(peer.id == "b" && publisher.id == "b" && tracks.map(\.id) == ["v"])
        #expect(effects.told("b").isEmpty)
        #expect(fixture.room.subscriptions(of: "a").isEmpty)
        fixture.room.left("b")
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func endingTheRoomTellsEverybodyOnceAndLocksItWhenAsked() throws {
        try fixture.join("a", role: "host")
        try fixture.join("b")
        try fixture.join("bot", role: Policy.recorderRole)
        #expect(
            roomError {
                try fixture.room.endRequested(
                    by: "b", lock: true, reason: "", at: fixture.now)
            }
                == .missingPermission(.endRoom, role: "guest"))
        try fixture.room.endRequested(by: "a", lock: true, reason: "done", at: fixture.now)
        let effects = fixture.drain()
        for peer in ["a", "b", "bot"] as [PeerID] {
            #expect(
                effects.dismissals(of: peer) == [
                    Dismissal(requester: "a", reason: "done", isRoomEnd: true)
                ])
            #expect(effects.told(peer).isEmpty)
            #expect(effects.contains(.releaseMedia(peer)))
        }
        #expect(fixture.room.isEmpty)
        #expect(fixture.room.session == nil)
        #expect(roomError { try fixture.join("c") } == .roomLocked)
        fixture.room.lockChanged(false)
        try fixture.join("c")
    }

    @Test mutating func aLockedRoomKeepsWhoIsInItAndTakesTheirRecorder() throws {
        try fixture.join("a")
        fixture.room.lockChanged(true)
        #expect(roomError { try fixture.join("b") } == .roomLocked)
        try fixture.room.peers.checkArrival("a", of: TokenOwner(userID: "user-a"), role: "guest")
        #expect(
            roomError {
                try fixture.room.peers.checkArrival("b", of: TokenOwner(userID: "b"), role: "guest")
            } == .roomLocked)
        try fixture.join("bot", role: Policy.recorderRole)
        #expect(fixture.drain().isEmpty)
        let room = Room(id: "r2", name: "r2", policy: .standard, isLocked: true, seed: 1)
        #expect(
            roomError {
                try room.peers.checkArrival("a", of: TokenOwner(userID: "a"), role: "host")
            }
                == .roomLocked)
    }

    @Test mutating func aSessionOfHiddenPeersAloneIsNobodys() throws {
        try fixture.join("bot", role: Policy.recorderRole)
        #expect(fixture.room.session != nil && fixture.room.visibleSession == nil)
        try fixture.join("a")
        #expect(fixture.room.visibleSession == fixture.room.session)
    }

    @Test mutating func aRoomOfASizeTakesSoManyAndARecorder() throws {
        var limits = RoomLimits()
        limits.visiblePeers = 2
        fixture = RoomFixture(limits: limits)
        try fixture.join("bot", role: Policy.recorderRole)
        try fixture.join("a")
        try fixture.join("b")
        #expect(roomError { try fixture.join("c") } == .roomFull(maximum: 2))
        try fixture.join("bot2", role: Policy.recorderRole)
        fixture.room.left("a")
        _ = fixture.drain()
        try fixture.join("c")
    }

    @Test mutating func aHostRemovesAPeerAndAGuestMayNot() throws {
        try fixture.join("a", role: "host")
        try fixture.join("b")
        try fixture.join("c")
        #expect(
            roomError {
                try fixture.room.removalRequested(
                    of: "b", by: "c", reason: "", at: fixture.now)
            }
                == .missingPermission(.removeOthers, role: "guest"))
        try fixture.room.removalRequested(of: "b", by: "a", reason: "noise", at: fixture.now)
        let effects = fixture.drain()
        #expect(
            effects.dismissals(of: "b") == [
                Dismissal(requester: "a", reason: "noise", isRoomEnd: false)
            ])
        #expect(effects.told("c").count == 1)
        #expect(fixture.room.peers["b"] == nil)
    }
}
