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
        #expect(fixture.room.peerCount == 2)
        #expect(fixture.room.subscriptions(of: "a").map(\.id) == ["v"])
        #expect(fixture.room.nextDeadline == .zero + .seconds(60))

        fixture.room.handleTimeout(at: .zero + .seconds(60) - .nanoseconds(1))
        #expect(fixture.drain().isEmpty)
        fixture.room.handleTimeout(at: .zero + .seconds(60))
        let effects = fixture.drain()
        #expect(effects.contains(.releaseMedia("b")))
        #expect(effects.told("a").count == 1)
        #expect(fixture.room.peerCount == 1)
        #expect(fixture.room.nextDeadline == nil)
    }

    @Test mutating func aPeerThatReturnsInTimeStaysWithEverythingItHad() throws {
        try fixture.join("a")
        try fixture.join("b", user: "ben")
        try fixture.publish([.camera("v")], by: "b")
        fixture.room.connectionLost("b", at: fixture.now)
        try fixture.room.connectionReturned("b", userID: "ben", tokenID: "")
        fixture.room.handleTimeout(at: .zero + .seconds(3600))
        #expect(fixture.drain().isEmpty)
        #expect(fixture.room.peer("b")?.tracks.map(\.id) == ["v"])
        #expect(fixture.room.peer("b")?.isReachable == true)
    }

    @Test mutating func aSecondLossStartsTheSixtySecondsAnewAndARepeatedOneDoesNot() throws {
        try fixture.join("a", user: "ann")
        fixture.room.connectionLost("a", at: .zero)
        fixture.room.connectionLost("a", at: .zero + .seconds(30))
        #expect(fixture.room.nextDeadline == .zero + .seconds(60))
        try fixture.room.connectionReturned("a", userID: "ann", tokenID: "")
        fixture.room.connectionLost("a", at: .zero + .seconds(50))
        #expect(fixture.room.nextDeadline == .zero + .seconds(110))
    }

    @Test mutating func anotherUserCannotTakeAPeersPlace() throws {
        try fixture.join("a", user: "ann")
        fixture.room.connectionLost("a", at: .zero)
        let error = roomError {
            try fixture.room.connectionReturned("a", userID: "eve", tokenID: "")
        }
        #expect(error == .peerIDTaken("a"))
        #expect(error?.code == 403)
        #expect(
            roomError {
                try fixture.room.checkArrival("a", userID: "eve", tokenID: "", role: "guest")
            } == .peerIDTaken("a"))
        #expect(fixture.room.peer("a")?.isReachable == false)
    }

    @Test(arguments: [("t1", "t1", true), ("t1", "t2", false), ("", "", false)])
    mutating func anAnonymousUserIsKnownByItsToken(
        joined: String, returning: String, isSame: Bool
    ) throws {
        try fixture.join("a", user: "", token: joined)
        let error = roomError {
            try fixture.room.connectionReturned("a", userID: "", tokenID: returning)
        }
        #expect((error == nil) == isSame)
    }

    @Test mutating func aNamedUserCannotTakeAnAnonymousPlaceNorTheOtherWayRound() throws {
        try fixture.join("a", user: "", token: "t")
        try fixture.join("b", user: "ben", token: "t")
        #expect(
            roomError { try fixture.room.connectionReturned("a", userID: "eve", tokenID: "t") }
                == .peerIDTaken("a"))
        #expect(
            roomError { try fixture.room.connectionReturned("b", userID: "", tokenID: "t") }
                == .peerIDTaken("b"))
    }

    @Test mutating func aLostPeerIsToldNothing() throws {
        try fixture.join("a")
        try fixture.join("b")
        fixture.room.connectionLost("b", at: fixture.now)
        fixture.room.hlsChanged(HLSState(variants: [HLSVariant(url: "u", state: .started)]))
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
}
