import MediaKernel
import Rooms
import Testing

/// The permissions to make, start and stop a poll, and its notifications.
@Suite struct PollRunningTests {
    var polls: PollFixture

    init() throws { polls = try PollFixture() }

    @Test mutating func aPollIsMadeStartedAndStopped() throws {
        try polls.draft()
        #expect(polls.fixture.drain().isEmpty, "a draft is nobody's business")
        polls.fixture.now += .seconds(1)
        try polls.start()
        for peer: PeerID in ["h", "g", "v"] {
            #expect(polls.fixture.drain().isEmpty || peer == "h")
        }
        let started = try polls.fixture.room.polls(for: "v").info(of: "p")
        #expect(started.state == .started && started.isLocked && started.questionCount == 1)
        #expect(started.createdBy == "h" && started.startedBy == "h")
        #expect(started.createdAt.milliseconds == 1_720_000_000_000)
        #expect(started.startedAt?.milliseconds == 1_720_000_001_000)
        #expect(started.stoppedAt == nil)
        polls.fixture.now += .seconds(1)
        try polls.stop()
        let stopped = try polls.fixture.room.polls(for: "g").info(of: "p")
        #expect(stopped.state == .stopped && stopped.stoppedBy == "h")
        #expect(stopped.stoppedAt?.milliseconds == 1_720_000_002_000)
    }

    @Test mutating func whoMayReadIsToldOfStartAndStopAndNobodyElse() throws {
        try polls.fixture.join("bot", role: Policy.recorderRole)
        try polls.draft()
        try polls.start()
        let started = polls.fixture.drain()
        #expect(started.toldPeers == ["h", "g", "v"])
        #expect(started.polls("v") == ["started p"])
        try polls.stop()
        let stopped = polls.fixture.drain()
        #expect(stopped.toldPeers == ["h", "g", "v"])
        #expect(stopped.polls("h") == ["stopped p"])
    }

    @Test mutating func whoMayNotWriteMakesStartsAndStopsNothing() throws {
        for peer: PeerID in ["g", "v", "d"] {
            let role = try #require(polls.fixture.room.peers[peer]?.role)
            let refusal = RoomError.missingPermission(.pollWrite, role: role)
            #expect(roomError { try polls.draft("x", by: peer) } == refusal)
            try polls.draft("p")
            #expect(
                roomError {
                    _ = try polls.fixture.room.pollQuestionsSet(
                        [], of: "p", by: peer, at: polls.fixture.now)
                } == refusal)
            #expect(roomError { try polls.start(by: peer) } == refusal)
            #expect(roomError { try polls.stop(by: peer) } == refusal)
        }
    }

    @Test mutating func whoMayNotReadSeesAndAnswersNothing() throws {
        try polls.run()
        let refusal = RoomError.missingPermission(.pollRead, role: "deaf")
        let (room, now) = (polls.fixture.room, polls.fixture.now)
        #expect(roomError { _ = try room.polls(for: "d").info(of: "p") } == refusal)
        #expect(roomError { _ = try room.polls(for: "d").infos(nil, after: nil) } == refusal)
        #expect(roomError { _ = try room.polls(for: "d").questions(of: "p") } == refusal)
        #expect(roomError { _ = try room.polls(for: "d").result(of: "p") } == refusal)
        #expect(roomError { _ = try room.polls(for: "d").ownResponses(of: "p") } == refusal)
        #expect(
            roomError {
                _ = try polls.fixture.room.pollResponses(
                    of: "p", from: 0, count: 1, by: "d", at: now)
            } == refusal)
        #expect(
            roomError {
                _ = try polls.fixture.room.pollLeaderboard(
                    of: "p", question: nil, by: "d", at: now)
            } == refusal)
        #expect(
            roomError { try polls.answer(PollSubmission(question: 1, option: 1), by: "d") }
                == refusal)
        #expect(roomError { _ = try room.polls(for: "x").info(of: "p") } == .notJoined("x"))
    }

    @Test mutating func whoMayWriteReadsToo() throws {
        var permissions = Permissions()
        permissions.pollWrite = true
        polls.fixture = RoomFixture(
            policy: try Policy(validating: [Role(name: "author", permissions: permissions)]))
        try polls.fixture.join("h", role: "author")
        try polls.run()
        #expect(try polls.result().questions?.count == 1)
    }

    @Test mutating func aDraftIsThereOnlyForWhoMayWrite() throws {
        try polls.draft()
        #expect(
            roomError { _ = try polls.fixture.room.polls(for: "g").info(of: "p") }
                == .unknownPoll("p"))
        #expect(
            roomError { _ = try polls.fixture.room.polls(for: "g").questions(of: "p") }
                == .unknownPoll("p"))
        #expect(
            roomError { try polls.answer(PollSubmission(question: 1, option: 1), by: "g") }
                == .unknownPoll("p"))
        #expect(try polls.fixture.room.polls(for: "g").infos(nil, after: nil).isEmpty)
        #expect(try polls.fixture.room.polls(for: "h").infos(.created, after: nil).count == 1)
    }

    @Test mutating func aListIsInTheOrderOfMakingAndByState() throws {
        for id: PollID in ["a", "b", "c", "d"] { try polls.draft(id) }
        try polls.start("c")
        try polls.start("a")
        try polls.stop("a")
        func list(_ state: PollInfo.State?, _ last: PollID? = nil, _ peer: PeerID) throws
            -> [PollID]
        {
            try polls.fixture.room.polls(for: peer).infos(state, after: last).map(\.id)
        }
        #expect(try list(nil, nil, "h") == ["a", "b", "c", "d"])
        #expect(try list(nil, nil, "v") == ["a", "c"])
        #expect(try list(.created, nil, "h") == ["b", "d"])
        #expect(try list(.created, "b", "h") == ["d"])
        #expect(try list(.stopped, nil, "g") == ["a"])
        #expect(try list(nil, "b", "h") == ["c", "d"])
        #expect(try list(nil, "gone", "h") == ["a", "b", "c", "d"])
    }

    @Test mutating func whatRunsOrIsOverIsNotChangedAndNotStartedAgain() throws {
        try polls.draft()
        #expect(roomError { try polls.stop() } == .pollState("p", .created))
        #expect(
            roomError { try polls.answer(PollSubmission(question: 1, option: 1), by: "h") }
                == .pollState("p", .created))
        try polls.start()
        #expect(roomError { try polls.draft() } == .pollState("p", .started))
        #expect(roomError { try polls.start() } == .pollState("p", .started))
        try polls.stop()
        #expect(roomError { try polls.start() } == .pollState("p", .stopped))
        #expect(roomError { try polls.stop() } == .pollState("p", .stopped))
        let error = roomError {
            try polls.answer(PollSubmission(question: 1, option: 1), by: "g")
        }
        #expect(error == .pollState("p", .stopped))
        #expect(error?.kind == .conflict)
    }

    @Test mutating func aPollWithoutQuestionsIsNotStarted() throws {
        try polls.draft("p", PollSettings(title: "?"), [])
        let error = roomError { try polls.start() }
        #expect(error == .pollEmpty("p") && error?.kind == .invalid)
        #expect(roomError { try polls.start("x") } == .unknownPoll("x"))
        #expect(
            roomError { try polls.start("") } == .invalidField(field: "poll_id", reason: "is empty")
        )
    }

    @Test mutating func aDraftIsChangedByAnybodyWhoMayUnlessItIsLocked() throws {
        try polls.fixture.join("i", role: "host")
        try polls.draft()
        try polls.draft("p", PollSettings(title: "Dinner?", isLocked: true), [], by: "i")
        #expect(try polls.fixture.room.polls(for: "h").info(of: "p").settings.title == "Dinner?")
        #expect(try polls.fixture.room.polls(for: "h").info(of: "p").createdBy == "h")
        let error = roomError { try polls.draft(by: "i") }
        #expect(error == .pollLocked("p") && error?.kind == .forbidden)
        try polls.draft("p", PollSettings(title: "Lunch!"), by: "h")
    }

    @Test mutating func aPollWithoutAnIDIsGivenOne() throws {
        let ids = try (0..<2).map { _ in
            try polls.fixture.room.pollSet(
                nil, PollSettings(title: "?"), by: "h", at: polls.fixture.now,
                wall: polls.fixture.wall)
        }
        #expect(ids[0] != ids[1] && ids[0].rawValue.count == 24)
    }

    // MARK: - Time

    @Test mutating func aPollEndsWhenItsTimeIsOver() throws {
        try polls.run(PollSettings(title: "Quick", duration: 30))
        #expect(polls.pass(.milliseconds(29_999)).isEmpty)
        try polls.answer(PollSubmission(question: 1, option: 1), by: "g")
        // It counts no answers from then on, announced or not.
        polls.fixture.now += .milliseconds(1)
        #expect(
            roomError { try polls.answer(PollSubmission(question: 1, option: 2), by: "v") }
                == .pollState("p", .stopped))
        let effects = polls.pass(.milliseconds(700))
        #expect(effects.polls("v") == ["stopped p"])
        let info = try polls.fixture.room.polls(for: "v").info(of: "p")
        #expect(info.stoppedBy == nil)
        #expect(info.stoppedAt?.milliseconds == 1_720_000_030_000)
        #expect(try polls.result().voters == 1)
    }

    @Test mutating func aPollWithoutADurationRunsOn() throws {
        try polls.run()
        #expect(polls.pass(.seconds(100_000)).polls("h").isEmpty)
        try polls.answer(PollSubmission(question: 1, option: 1), by: "g")
    }

    @Test mutating func pollsEndWithTheSession() throws {
        try polls.run()
        for peer: PeerID in ["h", "g", "v", "d"] { polls.fixture.room.left(peer) }
        try polls.fixture.join("h", role: "host")
        #expect(try polls.fixture.room.polls(for: "h").infos(nil, after: nil).isEmpty)
    }

    @Test mutating func whoWasAwayIsToldWhatStartedAndStoppedMeanwhile() throws {
        try polls.draft("old")
        try polls.start("old")
        try polls.draft("older")
        try polls.start("older")
        try polls.stop("older")
        try polls.draft("ends")
        try polls.start("ends")
        // Recent, but received all the same.
        _ = polls.pass(.seconds(30))
        polls.fixture.room.connectionLost("g", at: polls.fixture.now)
        _ = polls.pass(.seconds(5))
        try polls.draft("begins")
        try polls.start("begins")
        try polls.stop("ends")
        #expect(polls.fixture.drain().polls("g").isEmpty, "it is not reachable")
        let told = try returned("g")
        #expect(told.polls("g") == ["stopped ends", "started begins"])
    }

    /// The effects of the peer's return.
    private mutating func returned(_ peer: PeerID) throws -> [RoomEffect] {
        try polls.fixture.room.connectionReturned(
            peer, of: TokenOwner(userID: "user-\(peer)"), at: polls.fixture.now)
        return polls.fixture.drain()
    }

    /// Its socket was gone before that was noticed.
    @Test mutating func whatASocketDidNotDeliverOfPollsIsToldAgain() throws {
        try polls.draft("heard")
        try polls.start("heard")
        _ = polls.pass(.seconds(10))
        try polls.draft("unheard")
        try polls.start("unheard")
        _ = polls.pass(.seconds(5))
        polls.fixture.room.connectionLost(
            "g", at: polls.fixture.now, heardUntil: .zero + .seconds(4))
        let told = try returned("g")
        #expect(told.polls("g") == ["started unheard"])
        // Regardless of how long it might have received messages, it received none after its loss.
        polls.fixture.room.connectionLost(
            "g", at: polls.fixture.now, heardUntil: polls.fixture.now + .seconds(4))
        _ = polls.pass(.seconds(1))
        try polls.draft("missed")
        try polls.start("missed")
        _ = polls.fixture.drain()
        let toldAgain = try returned("g")
        #expect(toldAgain.polls("g") == ["started missed"])
    }

    /// Its time was over before the loss, and that was announced only afterwards.
    @Test mutating func whoIsLostBeforeAnEndIsSeenIsToldOfIt() throws {
        try polls.run(PollSettings(title: "Quick", duration: 30))
        polls.fixture.now += .milliseconds(30_300)
        polls.fixture.room.connectionLost("g", at: polls.fixture.now)
        let seen = polls.pass(.milliseconds(400))
        #expect(seen.polls("v") == ["stopped p"] && seen.polls("g").isEmpty)
        let told = try returned("g")
        #expect(told.polls("g") == ["stopped p"])
    }

    /// 100ms' clients do not request results when they return.
    @Test mutating func whoWasAwayIsToldWhatWasAnsweredAsFarAsItMaySeeIt() throws {
        try polls.fixture.join("w")
        try polls.run(
            PollSettings(title: "Sums", kind: .quiz, viewers: ["host", "guest"]),
            [.choice("1 + 1?", "1", "2", right: 2, isHidden: true)])
        for peer: PeerID in ["h", "g", "v", "d"] {
            polls.fixture.room.connectionLost(peer, at: polls.fixture.now)
        }
        try polls.answer(PollSubmission(question: 1, option: 2), by: "w")
        let meanwhile = polls.pass(.seconds(20))
        #expect(meanwhile.polls("w") == ["counted p"] && meanwhile.polls("g").isEmpty)

        let host = try returned("h")
        #expect(host.polls("h") == ["counted p"])
        #expect(host.counted("h").first?.questions?.first?.correct == 1)
        let guest = try returned("g")
        #expect(guest.polls("g") == ["counted p"])
        #expect(guest.counted("g").first?.questions?.first?.options == [0, 1])
        #expect(guest.counted("g").first?.questions?.first?.correct == nil)
        let viewer = try returned("v")
        #expect(viewer.polls("v") == ["counted p"])
        #expect(viewer.counted("v").first?.responses == 1)
        #expect(viewer.counted("v").first?.questions == nil)
        let deaf = try returned("d")
        #expect(deaf.polls("d").isEmpty)
    }

    @Test mutating func theAudienceIsTheMostThatWereThereWhileItRan() throws {
        try polls.fixture.join("early")
        polls.fixture.room.left("early")
        try polls.run()
        #expect(try polls.result().audience == 4)
        try polls.fixture.join("late")
        try polls.fixture.join("bot", role: Policy.recorderRole)
        polls.fixture.room.left("late")
        #expect(try polls.result().audience == 5)
        try polls.stop()
        for index in 0..<3 { try polls.fixture.join(PeerID("after\(index)")) }
        #expect(try polls.result().audience == 5)
    }
}
