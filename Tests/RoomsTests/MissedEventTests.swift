import MediaKernel
import Rooms
import Testing

/// Messages and requests to a peer while its socket was gone.
@Suite struct MissedEventTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("h", role: "host", user: "hal")
        try fixture.join("a", user: "ann")
        try fixture.join("b", user: "ben")
        try fixture.publish([.microphone("mb"), .camera("vb")], by: "b")
    }

    @discardableResult
    private mutating func say(
        _ text: String, to audience: Audience = .everybody, from peer: PeerID = "h"
    ) throws -> Message {
        defer { _ = fixture.drain() }
        return try fixture.room.messageSent(
            by: peer, to: audience, type: "chat", body: OpaqueJSON(text: text), at: fixture.now,
            wall: fixture.wall)
    }

    private mutating func offer(_ role: String, to peer: PeerID) throws {
        try fixture.room.roleChangeRequested(
            of: peer, to: role, isForced: false, by: "h", at: fixture.now)
    }

    /// The events that the peer receives on its return in addition to its own state.
    private mutating func returned(_ id: PeerID, user: String) throws -> [RoomEvent] {
        _ = fixture.drain()
        try fixture.room.connectionReturned(id, of: TokenOwner(userID: user), at: fixture.now)
        return fixture.drain().told(id).filter { event in
            if case .peerUpdated = event { false } else { true }
        }
    }

    private mutating func heard(_ id: PeerID = "b", user: String = "ben") throws -> [String] {
        try returned(id, user: user).map { event in
            guard case .messageSent(let message) = event else { return "\(event)" }
            return message.body.text
        }
    }

    @Test mutating func whoReturnsIsToldInOrderWhatWasForIt() throws {
        try say("before")
        fixture.room.connectionLost("b", at: fixture.now)
        try say("all")
        try say("guests", to: .roles(["guest"]))
        try say("hosts", to: .roles(["host"]))
        try say("ann", to: .peer("a"))
        try say("ben", to: .peer("b"), from: "a")
        _ = try fixture.room.operatorSpoke(
            to: .peer("b"), type: "chat", body: OpaqueJSON(text: "operator"), at: fixture.now,
            wall: fixture.wall)
        #expect(!fixture.drain().toldPeers.contains("b"))
        #expect(try heard() == ["all", "guests", "ben", "operator"])
        fixture.room.connectionLost("b", at: fixture.now, heardUntil: fixture.now)
        #expect(try heard().isEmpty, "nothing is told twice")
        fixture.room.connectionLost("h", at: fixture.now)
        #expect(try heard("h", user: "hal").isEmpty, "nor to who said it")
    }

    @Test mutating func whatWasDeletedMeanwhileIsToldToNobody() throws {
        fixture.room.connectionLost("b", at: fixture.now)
        let messages = try ["one", "two", "three"].map { try say($0) }
        _ = try fixture.room.valueSet(
            "deleted", to: OpaqueJSON(text: "[\"\(messages[1].id)\"]"), ifVersion: nil,
            .deletedMessages, by: "h", at: fixture.now, wall: fixture.wall)
        #expect(try heard() == ["one", "three"])
        try say("four")
        fixture.room.connectionLost("b", at: fixture.now, heardUntil: fixture.now)
        #expect(try heard().isEmpty)
    }

    @Test mutating func whoIsNotEvenShownIsToldAllTheSame() throws {
        fixture.room.connectionLost("b", at: fixture.now)
        fixture.room.mediaLost("b", at: fixture.now)
        fixture.now += .seconds(20)
        fixture.room.handleTimeout(at: fixture.now)
        try say("all")
        #expect(roomError { try say("ben", to: .peer("b")) } == .unknownPeer("b"))
        #expect(try heard() == ["all"])
    }

    @Test mutating func anOfferIsMadeAgainWhileItStands() throws {
        fixture.room.connectionLost("a", at: fixture.now)
        fixture.room.connectionLost("b", at: fixture.now)
        try offer("host", to: "a")
        try offer("host", to: "b")
        guard case .roleOffered(let offered)? = try returned("b", user: "ben").first else {
            Issue.record("no offer")
            return
        }
        #expect(offered.role == "host" && offered.requestedBy == "h")
        try fixture.room.roleChanged("a", to: "viewer")
        #expect(
            try returned("a", user: "ann").allSatisfy { event in
                if case .roleOffered = event { false } else { true }
            }, "another role ends it")

        fixture.room.connectionLost("b", at: fixture.now)
        try offer("viewer", to: "b")
        fixture.now += .seconds(300)
        #expect(try returned("b", user: "ben").isEmpty, "it is over")
    }

    @Test mutating func whoReturnsIsAskedToMuteWhatItStillPublishes() throws {
        fixture.room.connectionLost("b", at: fixture.now)
        for track in ["mb", "vb"] as [TrackID] {
            try fixture.room.muteRequested(
                true, track: track, stream: nil, of: "b", by: "h", at: fixture.now)
        }
        let voices = MuteRequest(isMuted: true, kind: .audio)
        try fixture.room.mutesRequested(voices, by: "h", at: fixture.now)
        try fixture.room.mutesRequested(MuteRequest(isMuted: false), of: "a", by: "h", at: .zero)
        try fixture.room.mutesRequested(
            MuteRequest(isMuted: true, kind: .video), of: "b", by: "h", at: fixture.now)
        try fixture.publish([.microphone("mb")], by: "b")
        #expect(
            try returned("b", user: "ben") == [
                .trackMuteRequested(.microphone("mb"), isMuted: true, by: "h"),
                .mutesRequested(voices, by: "h"),
            ])
    }

    /// Its socket was gone before that was noticed.
    @Test mutating func whatASocketDidNotDeliverIsToldAgain() throws {
        for second in [1, 4, 5, 30] {
            fixture.now = .zero + .seconds(second)
            try say("\(second)")
        }
        fixture.now = .zero + .seconds(45)
        fixture.room.connectionLost("b", at: fixture.now, heardUntil: .zero + .seconds(4))
        try say("45")
        #expect(try heard() == ["5", "30", "45"])
        // It sent nothing on the next one, so it may not have read that either.
        try say("between")
        fixture.room.connectionLost("b", at: fixture.now)
        #expect(try heard() == ["5", "30", "45", "between"])
    }

    @Test mutating func theOldestIsForgottenOfTooManyAndOfTooMuch() throws {
        var limits = RoomLimits()
        limits.recentEvents = 3
        limits.recentBytes = 4000
        fixture = RoomFixture(limits: limits)
        try fixture.join("h", role: "host")
        try fixture.join("b", user: "ben")
        fixture.room.connectionLost("b", at: fixture.now)
        for text in ["1", "2", "3", "4"] { try say(text) }
        #expect(try heard() == ["2", "3", "4"])
        fixture.room.connectionLost("b", at: fixture.now, heardUntil: fixture.now)
        for text in ["5", "6"] { try say(text) }
        let long = String(repeating: "x", count: 2500)
        try say(long)
        #expect(try heard() == ["6", long])
        fixture.room.connectionLost("b", at: fixture.now, heardUntil: fixture.now)
        try say(String(repeating: "y", count: 8000))
        #expect(try heard().isEmpty)
    }

    @Test mutating func nothingIsKeptForLongerThanSomebodyMayBeAway() throws {
        fixture.now += .seconds(1)
        try say("old")
        fixture.now += .seconds(1)
        try say("new")
        fixture.now += .seconds(119)
        fixture.room.handleTimeout(at: fixture.now)
        fixture.room.connectionLost("b", at: fixture.now, heardUntil: .zero)
        #expect(try heard() == ["old", "new"])
        fixture.now += .nanoseconds(1)
        fixture.room.handleTimeout(at: fixture.now)
        fixture.room.connectionLost("b", at: fixture.now, heardUntil: .zero)
        #expect(try heard() == ["new"])
    }

    @Test mutating func whoComesAnewIsToldNothingOfBefore() throws {
        try say("before")
        fixture.room.connectionLost("b", at: fixture.now)
        fixture.room.left("b")
        try say("meanwhile")
        try fixture.join("b", user: "ben")
        fixture.room.connectionLost("b", at: fixture.now)
        try say("later")
        #expect(try heard() == ["later"])
    }
}
