import MediaKernel
import Rooms
import Testing

@Suite struct ReturningTests {
    var fixture = RoomFixture()

    @Test mutating func aLostPeerKeepsItsPlaceForSixtySecondsAndThenLeaves() throws {
        try fixture.join("a")
        try fixture.join("b")
        try fixture.publish([.camera("v")], by: "b")
        fixture.room.connectionLost("b", at: fixture.now)
        #expect(fixture.drain().isEmpty)
        #expect(fixture.room.peers.visibleCount == 2)
        #expect(fixture.room.subscriptions(of: "a").map(\.id) == ["v"])

        fixture.room.handleTimeout(at: .zero + .seconds(60) - .nanoseconds(1))
        #expect(fixture.drain().isEmpty)
        fixture.room.handleTimeout(at: .zero + .seconds(60))
        let effects = fixture.drain()
        #expect(effects.contains(.releaseMedia("b")))
        #expect(effects.told("a").count == 2)
        #expect(fixture.room.peers.visibleCount == 1)
    }

    @Test mutating func aPeerThatReturnsInTimeStaysWithEverythingItHad() throws {
        try fixture.join("a")
        try fixture.join("b", user: "ben")
        try fixture.publish([.camera("v")], by: "b")
        fixture.room.connectionLost("b", at: fixture.now)
        try fixture.room.connectionReturned("b", of: TokenOwner(userID: "ben"), at: fixture.now)
        fixture.room.handleTimeout(at: .zero + .seconds(3600))
        #expect(fixture.drain().toldPeers == ["b"], "what it is, and nothing to others")
        #expect(fixture.room.peers["b"]?.tracks.map(\.id) == ["v"])
        #expect(fixture.room.peers["b"]?.isReachable == true)
    }

    @Test mutating func aSecondLossStartsTheSixtySecondsAnewAndARepeatedOneDoesNot() throws {
        try fixture.join("a", user: "ann")
        fixture.room.connectionLost("a", at: .zero)
        fixture.room.connectionLost("a", at: .zero + .seconds(30))
        var other = fixture
        other.room.handleTimeout(at: .zero + .seconds(60))
        #expect(other.room.isEmpty)
        try fixture.room.connectionReturned("a", of: TokenOwner(userID: "ann"), at: fixture.now)
        fixture.room.connectionLost("a", at: .zero + .seconds(50))
        fixture.room.handleTimeout(at: .zero + .seconds(110) - .nanoseconds(1))
        #expect(!fixture.room.isEmpty)
        fixture.room.handleTimeout(at: .zero + .seconds(110))
        #expect(fixture.room.isEmpty)
    }

    @Test mutating func anotherUserCannotTakeAPeersPlace() throws {
        try fixture.join("a", user: "ann")
        fixture.room.connectionLost("a", at: .zero)
        let error = roomError {
            try fixture.room.connectionReturned("a", of: TokenOwner(userID: "eve"), at: fixture.now)
        }
        #expect(error == .peerIDTaken("a"))
        #expect(error?.kind == .forbidden)
        #expect(
            roomError {
                try fixture.room.peers.checkArrival(
                    "a", of: TokenOwner(userID: "eve"), role: "guest")
            } == .peerIDTaken("a"))
        #expect(fixture.room.peers["a"]?.isReachable == false)
    }

    /// Anyone with a room code gets a token in any user's name, and all peers know the ids.
    @Test(arguments: [
        ("ann", "t1", "t1", true), ("ann", "t1", "t2", false), ("ann", "t1", "", false),
        ("", "t1", "t1", true), ("", "t1", "t2", false), ("", "", "", false),
    ])
    mutating func aPeerReturnsWithTheTokenItJoinedWith(
        user: String, joined: String, returning: String, isSame: Bool
    ) throws {
        try fixture.join("a", user: user, token: joined)
        #expect(
            fixture.room.peers.isHere("a", of: TokenOwner(userID: user, tokenID: returning))
                == isSame)
        for error in [
            roomError {
                try fixture.room.peers.checkArrival(
                    "a", of: TokenOwner(userID: user, tokenID: returning), role: "guest")
            },
            roomError {
                try fixture.room.connectionReturned(
                    "a", of: TokenOwner(userID: user, tokenID: returning), at: fixture.now)
            },
        ] {
            #expect(error == (isSame ? nil : .peerIDTaken("a")))
        }
    }

    @Test mutating func aNamedUserCannotTakeAnAnonymousPlaceNorTheOtherWayRound() throws {
        try fixture.join("a", user: "", token: "t")
        try fixture.join("b", user: "ben", token: "t")
        #expect(
            roomError {
                try fixture.room.connectionReturned(
                    "a", of: TokenOwner(userID: "eve", tokenID: "t"), at: fixture.now)
            }
                == .peerIDTaken("a"))
        #expect(
            roomError {
                try fixture.room.connectionReturned(
                    "b", of: TokenOwner(userID: "", tokenID: "t"), at: fixture.now)
            }
                == .peerIDTaken("b"))
    }

    @Test mutating func aLostPeerIsToldNothing() throws {
        try fixture.join("a")
        try fixture.join("b")
        fixture.room.connectionLost("b", at: fixture.now)
        fixture.room.streamingChanged(
            .hls(HLSState(variants: [HLSVariant(url: "u", state: .started)])))
        try fixture.join("c")
        let message = try fixture.room.messageSent(
            by: "a", to: .peer("b"), type: "chat", body: OpaqueJSON(text: "\"hi\""),
            at: fixture.now, wall: fixture.wall)
        #expect(!message.id.isEmpty)
        #expect(!fixture.drain().toldPeers.contains("b"))
    }

    @Test mutating func aConnectionLostBeforeTheJoinIsDoneEndsTheJoin() throws {
        try fixture.room.joinRequested(
            JoinRequest(peer: "a", userID: "u", role: "guest", name: "A"), at: fixture.now)
        fixture.room.connectionLost("a", at: fixture.now)
        #expect(fixture.room.isEmpty)
        #expect(
            roomError { try fixture.room.joinCompleted("a", wall: fixture.wall) }
                == .unknownPeer("a"))
    }

    // MARK: - Ghosts

    /// A room in which `b`, who publishes `v`, has lost its socket and then its media.
    private static func ghostFixture() throws -> RoomFixture {
        var fixture = RoomFixture()
        try fixture.join("a")
        try fixture.join("b", user: "ben")
        try fixture.publish([.camera("v")], by: "b")
        fixture.room.connectionLost("b", at: .zero)
        fixture.room.mediaLost("b", at: .zero + .seconds(8))
        return fixture
    }

    @Test mutating func aPeerWithoutSocketAndMediaIsShownForTenSeconds() throws {
        fixture = try Self.ghostFixture()
        fixture.room.handleTimeout(at: .zero + .seconds(10) - .nanoseconds(1))
        #expect(fixture.drain().isEmpty)
        fixture.room.handleTimeout(at: .zero + .seconds(10))
        let effects = fixture.drain()
        #expect(effects.told("a").count == 2)
        guard case .peerLeft(let peer) = effects.told("a").first else {
            Issue.record("\(effects)")
            return
        }
        #expect(peer.id == "b")
        #expect(effects.contains(.resubscribe("a")) && effects.contains(.refreshPreviews))
        #expect(!effects.contains(.releaseMedia("b")))
        #expect(!effects.contains { if case .noted = $0 { true } else { false } })

        #expect(fixture.room.peers.visibleCount == 1 && fixture.room.peers.trackCount == 0)
        #expect(fixture.room.peers.visible.map(\.id) == ["a"])
        #expect(fixture.room.peers.listed(for: "a").isEmpty)
        #expect(fixture.room.subscriptions(of: "a").isEmpty)
        #expect(roomError { _ = try fixture.room.peers.visiblePeer("b") } == .unknownPeer("b"))
        let found = try fixture.room.peersSearched(
            "B", limit: nil, offset: nil, by: "a", at: fixture.now)
        #expect(found.peers.isEmpty)
    }

    @Test mutating func aPeerWhoseMediaStopsLaterIsShownUntilThen() throws {
        try fixture.join("a")
        try fixture.join("b")
        fixture.room.connectionLost("b", at: .zero)
        fixture.room.handleTimeout(at: .zero + .seconds(30))
        #expect(fixture.drain().isEmpty && fixture.room.peers.visibleCount == 2)
        fixture.room.mediaLost("b", at: .zero + .seconds(31))
        fixture.room.mediaLost("b", at: .zero + .seconds(40))
        fixture.room.handleTimeout(at: .zero + .seconds(31) - .nanoseconds(1))
        #expect(fixture.room.peers.visibleCount == 2)
        fixture.room.handleTimeout(at: .zero + .seconds(31))
        #expect(fixture.room.peers.visibleCount == 1)
    }

    @Test mutating func aPeerWithoutMediaIsNoGhostWhileItsSocketLives() throws {
        try fixture.join("a")
        fixture.room.mediaLost("a", at: .zero)
        fixture.room.handleTimeout(at: .zero + .seconds(3600))
        #expect(fixture.room.peers.visibleCount == 1)
    }

    @Test(arguments: [true, false])
    mutating func aGhostComesBackAsJoinedWithItsTracks(bySocket: Bool) throws {
        fixture = try Self.ghostFixture()
        fixture.room.handleTimeout(at: .zero + .seconds(20))
        _ = fixture.drain()
        if bySocket {
            try fixture.room.connectionReturned("b", of: TokenOwner(userID: "ben"), at: fixture.now)
        } else {
            fixture.room.mediaReturned("b")
        }
        let effects = fixture.drain()
        let told = effects.told("a")
        guard told.count == 2, case .peerJoined(let peer) = told[0],
            case .tracksAdded(let tracks, let publisher) = told[1]
        else {
            Issue.record("\(told)")
            return
        }
        #expect(peer.id == "b" && publisher.id == "b" && tracks.map(\.id) == ["v"])
        #expect(effects.told("b").count == (bySocket ? 1 : 0))
        #expect(effects.contains(.resubscribe("a")))
        #expect(fixture.room.peers.visibleCount == 2 && fixture.room.peers.trackCount == 1)
        #expect(fixture.room.subscriptions(of: "a").map(\.id) == ["v"])
        // No event is sent twice.
        fixture.room.mediaReturned("b")
        try fixture.room.connectionReturned("b", of: TokenOwner(userID: "ben"), at: fixture.now)
        #expect(fixture.drain().toldPeers == ["b"])
    }

    /// No other event tells it: it appears in none of its lists.
    @Test mutating func whoReturnsIsToldWhatOthersMadeOfIt() throws {
        try fixture.join("a", role: "host", user: "ann")
        try fixture.join("b", user: "ben")
        try fixture.room.handChanged(
            of: "b", isRaised: true, by: "b", at: fixture.now)
        fixture.room.connectionLost("b", at: fixture.now)
        _ = fixture.drain()
        try fixture.room.handChanged(
            of: "b", isRaised: false, by: "b", at: fixture.now)
        #expect(!fixture.drain().toldPeers.contains("b"))
        try fixture.room.connectionReturned("b", of: TokenOwner(userID: "ben"), at: fixture.now)
        guard case .peerUpdated(let peer) = fixture.drain().told("b").first else {
            Issue.record("not told")
            return
        }
        #expect(peer.id == "b" && peer.groups.isEmpty)
    }

    @Test mutating func aGhostKeepsItsPlaceAndLeavesWithoutAnybodyBeingToldAgain() throws {
        fixture = try Self.ghostFixture()
        fixture.room.handleTimeout(at: .zero + .seconds(20))
        _ = fixture.drain()
        #expect(roomError { try fixture.join("b", user: "eve") } == .alreadyJoined("b"))
        fixture.room.handleTimeout(at: .zero + .seconds(60))
        let effects = fixture.drain()
        #expect(effects.toldPeers.isEmpty && effects.contains(.releaseMedia("b")))
        #expect(
            effects.contains {
                guard case .noted(.peerLeft(let peer, _, let reason, _)) = $0 else { return false }
                return peer.id == "b" && reason == .connectionClosed
            })
    }

    /// It may return.
    @Test mutating func aGhostIsPutOutAndAskedToBeSilentAsIfItWereThere() throws {
        fixture = try Self.ghostFixture()
        try fixture.join("h", role: "host")
        fixture.room.handleTimeout(at: .zero + .seconds(20))
        _ = fixture.drain()
        try fixture.room.muteRequested(
            true, track: "v", stream: nil, of: "b", by: "h", at: fixture.now)
        #expect(fixture.drain().isEmpty)
        var other = fixture
        try other.room.removalRequested(of: "b", by: "h", reason: "noise", at: other.now)
        let effects = other.drain()
        #expect(effects.dismissals(of: "b").map(\.reason) == ["noise"])
        #expect(effects.toldPeers.isEmpty && effects.contains(.releaseMedia("b")))

        other = fixture
        try other.room.peerRemoved("b", reason: "")
        #expect(other.room.peers.hasLeft("b"))
        other = fixture
        try other.room.peersRemoved(role: "guest", reason: "")
        #expect(other.room.peers.hasLeft("a") && other.room.peers.hasLeft("b"))

        fixture.room.left("a")
        fixture.room.left("h")
        try fixture.join("bot", role: Policy.recorderRole)
        #expect(fixture.room.peers.visible.isEmpty && fixture.room.isOccupied)
        fixture.room.ended(lock: false, reason: "late")
        #expect(fixture.drain().dismissals(of: "b").map(\.reason) == ["late"])
        try fixture.join("bot", role: Policy.recorderRole)
        #expect(!fixture.room.isOccupied)
    }

    // MARK: - Full rooms

    /// A reloaded page sends no leave and joins with another peer id.
    @Test mutating func whoComesAgainByAnotherIDTakesItsOwnPlace() throws {
        var limits = RoomLimits()
        limits.visiblePeers = 2
        fixture = RoomFixture(
            policy: try Policy(validating: [
                Role(name: "host", maxPeerCount: 1), Role(name: "guest"),
            ]),
            limits: limits)
        try fixture.join("a", role: "host", user: "ann", token: "t")
        let session = fixture.room.session
        fixture.room.connectionLost("a", at: fixture.now)
        try fixture.join("a2", role: "host", user: "ann", token: "t")
        #expect(fixture.room.peers["a"] == nil && fixture.room.peers.hasLeft("a"))
        #expect(fixture.room.session == session && session != nil)

        try fixture.join("b", user: "ben")
        fixture.room.connectionLost("b", at: fixture.now)
        // Its media still flows, so no other peer may replace it.
        #expect(roomError { try fixture.join("c", user: "cat") } == .roomFull(maximum: 2))
        #expect(
            roomError { try fixture.join("c", role: "host", user: "ben") }
                == .roleFull(role: "host", maximum: 1))
        let effects = try fixture.join("b2", user: "ben")
        #expect(effects.contains(.releaseMedia("b")))
        #expect(effects.told("a2").count == 2, "one left and one joined")
        #expect(fixture.room.peers.visibleCount == 2)
    }

    @Test mutating func whoIsTakenForGoneGivesWayToAnybody() throws {
        var limits = RoomLimits()
        limits.peers = 2
        fixture = RoomFixture(limits: limits)
        try fixture.join("a")
        try fixture.join("b")
        fixture.room.connectionLost("b", at: .zero)
        fixture.room.mediaLost("b", at: .zero)
        #expect(roomError { try fixture.join("c") } == .roomFull(maximum: 2))
        fixture.room.handleTimeout(at: .zero + .seconds(10))
        _ = fixture.drain()
        let effects = try fixture.join("c")
        #expect(effects.contains(.releaseMedia("b")))
        #expect(effects.told("a").count == 1, "of the other it has heard")
        #expect(roomError { try fixture.join("d") } == .roomFull(maximum: 2))
    }

    @Test mutating func whoComesAgainByAnotherIDPublishesWhatItHadPublished() throws {
        fixture = try Self.ghostFixture()
        try fixture.join("b2", user: "ben")
        try fixture.join("c", user: "eve")
        // A user of another name takes nothing away.
        #expect(try fixture.leftOut([.camera("v")], by: "c").isEmpty)
        #expect(fixture.room.peers["b"]?.tracks.map(\.id) == ["v"])
        _ = try fixture.publish([], by: "c")
        let effects = try fixture.publish([.camera("v")], by: "b2")
        guard case .tracksRemoved(_, let old)? = effects.told("a").first,
            case .tracksAdded(_, let new)? = effects.told("a").last
        else {
            Issue.record("\(effects)")
            return
        }
        #expect(old.id == "b" && new.id == "b2")
        #expect(fixture.room.subscriptions(of: "a").map(\.id) == ["v"])
        // The other peer's changes to it are still accepted when it returns after all.
        try fixture.room.connectionReturned("b", of: TokenOwner(userID: "ben"), at: fixture.now)
        try fixture.room.tracksUpdated(
            ["v": TrackChange(isMuted: true)], by: "b", at: fixture.now)
        #expect(try fixture.leftOut([.camera("v")], by: "b").isEmpty)
        #expect(fixture.room.peers["b2"]?.tracks.map(\.isMuted) == [false])
        // Both are here, and both publish.
        #expect(fixture.room.subscriptions(of: "a").map(\.id.rawValue).sorted() == ["v", "v-2"])
    }

    @Test mutating func nobodyHearsOfAHiddenPeersAbsence() throws {
        try fixture.join("a")
        try fixture.join("bot", role: Policy.recorderRole)
        fixture.room.connectionLost("bot", at: .zero)
        fixture.room.mediaLost("bot", at: .zero)
        fixture.room.handleTimeout(at: .zero + .seconds(20))
        fixture.room.mediaReturned("bot")
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func aTokenIsOfUseToThePeerThatJoinedWithItOnly() throws {
        try fixture.join("a", user: "ann", token: "t1")
        #expect(!fixture.room.peers.isHere("a", of: TokenOwner(userID: "eve", tokenID: "t1")))
        #expect(!fixture.room.peers.isHere("b", of: TokenOwner(userID: "ann", tokenID: "t1")))
    }

    @Test mutating func whoReturnsIsToldTheValuesThatItListensTo() throws {
        try fixture.join("a", user: "ann")
        try fixture.join("b", user: "ben")
        try fixture.room.valuesListened(["pinned", "other"], by: "b")
        fixture.room.connectionLost("b", at: fixture.now)
        _ = fixture.drain()
        let entry = try fixture.room.valueSet(
            "pinned", to: OpaqueJSON(text: "1"), ifVersion: nil, by: "a", at: fixture.now,
            wall: fixture.wall)
        #expect(!fixture.drain().toldPeers.contains("b"))
        try fixture.room.connectionReturned("b", of: TokenOwner(userID: "ben"), at: fixture.now)
        #expect(fixture.drain().last == .tell(["b"], .storeChanged([entry])))
    }

    /// The last peer leaves while another one is joining, and that join fails.
    @Test(arguments: [true, false])
    mutating func aJoinThatFailsEndsTheSessionOfWhoHasLeftMeanwhile(byItsSocket: Bool) throws {
        try fixture.join("a")
        try fixture.room.joinRequested(
            JoinRequest(peer: "b", userID: "ben", role: "guest", name: "Ben"), at: fixture.now)
        fixture.room.left("a")
        #expect(fixture.room.session != nil)
        if byItsSocket {
            fixture.room.connectionLost("b", at: fixture.now)
        } else {
            fixture.room.joinAbandoned("b")
        }
        #expect(fixture.room.session == nil)
        #expect(
            fixture.drain().contains { effect in
                if case .noted(.sessionClosed) = effect { true } else { false }
            })
    }
}
