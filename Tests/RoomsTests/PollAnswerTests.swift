import MediaKernel
import Rooms
import Testing

/// Valid answers, right answers, and their visibility.
@Suite struct PollAnswerTests {
    var polls: PollFixture

    init() throws { polls = try PollFixture() }

    /// An option, options or a text, and whether it is right.
    struct Given: Sendable {
        var option: Int?
        var options: [Int]?
        var text: String?
        var isRight: Bool
    }

    static let rightOnes: [(PollQuestion, [Given])] = [
        (
            .choice("1 + 1", "1", "2", "3", right: 2),
            [
                Given(option: 2, isRight: true), Given(option: 1, isRight: false),
                Given(options: [2], isRight: true),
            ]
        ),
        // Any of several right options in a single choice.
        (
            PollQuestion(
                .singleChoice, text: "even?",
                options: ["1", "2", "4"].map { PollQuestion.Option(text: $0) },
                answer: PollAnswerKey(options: [3, 2])),
            [
                Given(option: 2, isRight: true), Given(option: 3, isRight: true),
                Given(option: 1, isRight: false),
            ]
        ),
        (
            .choices("even?", "1", "2", "3", "4", right: [4, 2]),
            [
                Given(options: [2, 4], isRight: true), Given(options: [4, 2], isRight: true),
                Given(options: [2], isRight: false), Given(options: [2, 3, 4], isRight: false),
                Given(option: 2, isRight: false),
            ]
        ),
        // Without a right answer, no answer is right.
        (.choice("you?", "yes", "no"), [Given(option: 1, isRight: false)]),
        (.choices("you?", "yes", "no"), [Given(options: [1], isRight: false)]),
        (
            PollQuestion(.shortAnswer, text: "capital?", answer: PollAnswerKey(text: "Paris")),
            [
                Given(text: "paris", isRight: true), Given(text: "PARIS", isRight: true),
                Given(text: " Paris", isRight: false), Given(text: "Rome", isRight: false),
            ]
        ),
        (
            PollQuestion(
                .longAnswer, text: "capital?",
                answer: PollAnswerKey(text: "Paris ", isCaseSensitive: true, isTrimmed: true)),
            [
                Given(text: "\t Paris\n", isRight: true), Given(text: "paris", isRight: false),
                Given(text: "  ", isRight: false),
            ]
        ),
        (PollQuestion(.longAnswer, text: "why?"), [Given(text: "because", isRight: false)]),
    ]

    @Test(arguments: rightOnes.indices) mutating func whatIsRight(index: Int) throws {
        let (question, table) = Self.rightOnes[index]
        try polls.run(PollSettings(title: "Quiz", kind: .quiz), [question])
        for given in table {
            let verdicts = try polls.answer(
                PollSubmission(
                    question: 1, kind: question.kind, option: given.option,
                    options: given.options, text: given.text), by: "g")
            #expect(verdicts.map(\.isRight) == [given.isRight], "\(given)")
            #expect(try polls.result().questions?.first?.correct == (given.isRight ? 1 : 0))
        }
        #expect(try polls.result().responses == 1, "each took the place of the one before")
    }

    static let refused: [(PollQuestion, PollSubmission, RoomError)] = [
        (
            .choice("?", "a", "b"), PollSubmission(question: 1),
            .invalidField(field: "option", reason: "must be 1 to 2")
        ),
        (
            .choice("?", "a", "b"), PollSubmission(question: 1, option: 0),
            .invalidField(field: "option", reason: "must be 1 to 2")
        ),
        (
            .choice("?", "a", "b"), PollSubmission(question: 1, option: 3),
            .invalidField(field: "option", reason: "must be 1 to 2")
        ),
        (
            .choice("?", "a", "b"), PollSubmission(question: 1, option: -1),
            .invalidField(field: "option", reason: "must be 1 to 2")
        ),
        (
            .choice("?", "a", "b"), PollSubmission(question: 1, options: [1, 2]),
            .invalidField(field: "option", reason: "must be 1 to 2")
        ),
        (
            .choice("?", "a", "b"), PollSubmission(question: 1, kind: .longAnswer, text: "x"),
            .invalidField(field: "type", reason: "must be 'single-choice'")
        ),
        (
            .choice("?", "a"), PollSubmission(question: 0, option: 1),
            .invalidField(field: "question", reason: "must be 1 to 1")
        ),
        (
            .choice("?", "a"), PollSubmission(question: 2, option: 1),
            .invalidField(field: "question", reason: "must be 1 to 1")
        ),
        (
            .choices("?", "a", "b"), PollSubmission(question: 1, options: []),
            .invalidField(field: "options", reason: "must be of 1 to 2, each once")
        ),
        (
            .choices("?", "a", "b"), PollSubmission(question: 1, options: [1, 1]),
            .invalidField(field: "options", reason: "must be of 1 to 2, each once")
        ),
        (
            .choices("?", "a", "b"), PollSubmission(question: 1, options: [2, 3]),
            .invalidField(field: "options", reason: "must be of 1 to 2, each once")
        ),
        (
            PollQuestion(.shortAnswer, text: "?"), PollSubmission(question: 1),
            .invalidField(field: "text", reason: "must have 1 to 1024 characters")
        ),
        (
            PollQuestion(.shortAnswer, text: "?", lengths: 2...3),
            PollSubmission(question: 1, text: "äöüß"),
            .invalidField(field: "text", reason: "must have 2 to 3 characters")
        ),
        (
            PollQuestion(.longAnswer, text: "?", lengths: 2...3),
            PollSubmission(question: 1, text: "ä"),
            .invalidField(field: "text", reason: "must have 2 to 3 characters")
        ),
        (
            PollQuestion(.longAnswer, text: "?", lengths: 1...3),
            PollSubmission(question: 1, text: String(repeating: "x", count: 500_000)),
            .invalidField(field: "text", reason: "must have 1 to 3 characters")
        ),
        (
            PollQuestion(.shortAnswer, text: "?", isSkippable: false),
            PollSubmission(question: 1, isSkipped: true),
            .invalidField(field: "skipped", reason: "is not allowed here")
        ),
    ]

    @Test(arguments: refused.indices) mutating func whatIsNoAnswer(index: Int) throws {
        let (question, submission, refusal) = Self.refused[index]
        try polls.run(PollSettings(title: "?"), [question])
        let error = roomError { try polls.answer(submission, by: "g") }
        #expect(error == refusal)
        #expect(error?.kind == .invalid)
        #expect(try polls.result().voters == 0, "who said nothing that counts has not voted")
    }

    @Test mutating func whatCountsIsCountedAndTheRestIsNamed() throws {
        try polls.run(PollSettings(title: "?"), [.choice("?", "a", "b"), .choice("?", "a", "b")])
        let verdicts = try polls.answer(
            PollSubmission(question: 2, option: 7), PollSubmission(question: 1, option: 2), by: "g")
        #expect(verdicts.map(\.question) == [2, 1])
        #expect(
            verdicts.map(\.refusal) == [
                .invalidField(field: "option", reason: "must be 1 to 2"), nil,
            ])
        #expect(try polls.result().questions?.map(\.options) == [[0, 1], [0, 0]])
        #expect(
            roomError { try polls.answer(by: "g") }
                == .invalidField(field: "responses", reason: "is empty"))
    }

    @Test mutating func anAnswerTakesThePlaceOfTheEarlierOne() throws {
        try polls.run(PollSettings(title: "?"), [.choice("?", "a", "b"), .choices("?", "a", "b")])
        try polls.answer(
            PollSubmission(question: 1, option: 1), PollSubmission(question: 2, options: [1, 2]),
            by: "g")
        try polls.answer(PollSubmission(question: 1, option: 2), by: "g")
        try polls.answer(PollSubmission(question: 2, isSkipped: true), by: "g")
        try polls.answer(PollSubmission(question: 1, option: 2), by: "v")
        let result = try polls.result()
        #expect(result.voters == 2 && result.responses == 3)
        #expect(result.questions?.map(\.options) == [[0, 2], [0, 0]])
        #expect(result.questions?.map(\.total) == [2, 0])
        #expect(result.questions?.map(\.skipped) == [0, 1])
        let responses = try polls.responses()
        #expect(responses.map(\.isUpdate) == [true, true, false])
        #expect(responses.map(\.answer) == [.options([2]), .skipped, .options([2])])
        #expect(responses[0].id != responses[1].id && responses[0].voter == responses[1].voter)
    }

    @Test mutating func aQuestionForOnceTakesOneAnswer() throws {
        var question = PollQuestion.choice("?", "a", "b")
        question.isOnce = true
        try polls.run(PollSettings(title: "?"), [question])
        try polls.answer(PollSubmission(question: 1, option: 1), by: "g")
        let error = roomError { try polls.answer(PollSubmission(question: 1, option: 2), by: "g") }
        #expect(error == .pollAnswered(question: 1) && error?.kind == .conflict)
        #expect(try polls.result().questions?.first?.options == [1, 0])
    }

    @Test mutating func onlyTheRolesThatMayVoteDo() throws {
        try polls.run(PollSettings(title: "?", voters: ["viewer"]))
        for peer: PeerID in ["h", "g"] {
            let error = roomError {
                try polls.answer(PollSubmission(question: 1, option: 1), by: peer)
            }
            let role = try #require(polls.fixture.room.peers[peer]?.role)
            #expect(error == .mayNotAnswer("p", role: role) && error?.kind == .forbidden)
        }
        try polls.answer(PollSubmission(question: 1, option: 1), by: "v")
        #expect(
            roomError { try polls.draft("q", PollSettings(title: "?", voters: ["pope"])) }
                == .unknownRole("pope"))
    }

    // MARK: - Who is who

    static let tracked: [(PollSettings.Tracking, Int)] = [(.userID, 2), (.peerID, 4), (.name, 3)]

    /// Two tabs of one user, a namesake, and a user with another name.
    @Test(arguments: tracked)
    mutating func aPersonIsKnownByWhatThePollSays(mode: PollSettings.Tracking, voters: Int) throws {
        for (peer, user, name) in [("1", "ann", "A"), ("2", "ann", "B"), ("3", "eve", "A")] {
            try polls.fixture.join(PeerID(peer), user: user)
            try polls.fixture.room.peerUpdated(
                PeerID(peer), name: name, metadata: nil, at: polls.fixture.now)
        }
        try polls.fixture.join("4", user: "eve")
        try polls.run(PollSettings(title: "?", tracking: mode))
        for peer: PeerID in ["1", "2", "3", "4"] {
            try polls.answer(PollSubmission(question: 1, option: 1), by: peer)
        }
        #expect(try polls.result().voters == voters)
    }

    @Test mutating func answersNameWhoGaveThem() throws {
        try polls.run()
        try polls.answer(PollSubmission(question: 1, option: 2), by: "g")
        let response = try #require(try polls.responses().first)
        #expect(response.voter.peer == "g" && response.voter.userID == "user-g")
        #expect(response.voter.name == "G" && response.voter.hash.count == 24)
    }

    @Test mutating func anAnonymousPollNamesNobodyButOneToItself() throws {
        try polls.run(PollSettings(title: "?", isAnonymous: true))
        try polls.answer(PollSubmission(question: 1, option: 2), by: "g")
        let voter = try #require(try polls.responses().first?.voter)
        #expect(voter.peer == nil && voter.userID == nil && voter.name == nil)
        #expect(!voter.hash.isEmpty)
        let own = try polls.fixture.room.polls(for: "g").ownResponses(of: "p")
        #expect(own.map(\.voter.peer) == ["g"] && own.map(\.answer) == [.options([2])])
        #expect(try polls.fixture.room.polls(for: "v").ownResponses(of: "p").isEmpty)
        // In the same name, with another token.
        try polls.fixture.join("x", user: "user-g", token: "x's own")
        #expect(try polls.fixture.room.polls(for: "x").ownResponses(of: "p").isEmpty)
        try polls.stop()
        let error = roomError { _ = try polls.leaderboard() }
        #expect(error == .pollAnonymous("p") && error?.kind == .forbidden)
    }

    // MARK: - Who sees what

    @Test mutating func everybodyWhoMayReadIsToldTheNumbersAtMostOnceATick() throws {
        try polls.run()
        try polls.answer(PollSubmission(question: 1, option: 1), by: "g")
        try polls.answer(PollSubmission(question: 1, option: 2), by: "v")
        #expect(polls.fixture.drain().isEmpty, "not at once")
        let effects = polls.pass(.seconds(1))
        #expect(effects.toldPeers == ["h", "g", "v"])
        #expect(effects.counted("v").map(\.voters) == [2])
        #expect(effects.counted("v").first?.questions?.first?.options == [1, 1])
        #expect(effects.counted("v").first?.questions?.first?.total == 2)
        #expect(polls.pass(.seconds(1)).isEmpty, "nothing is new")
        try polls.answer(PollSubmission(question: 1, option: 1), by: "h")
        try polls.stop()
        #expect(polls.fixture.drain().polls("g") == ["stopped p"])
        #expect(polls.pass(.seconds(1)).isEmpty, "who hears of the end asks for the result")
        #expect(try polls.result(for: "v").voters == 3)
    }

    @Test mutating func whoMayNotSeeAnswersIsToldHowManyThereAre() throws {
        try polls.run(PollSettings(title: "?", viewers: ["guest"]))
        try polls.answer(PollSubmission(question: 1, option: 1), by: "v")
        let effects = polls.pass(.seconds(1))
        #expect(effects.counted("g").first?.questions?.first?.options == [1, 0])
        for peer: PeerID in ["h", "v"] {
            #expect(effects.counted(peer).map(\.voters) == [1])
            #expect(effects.counted(peer).map(\.questions) == [nil])
            #expect(try polls.result(for: peer).questions == nil)
        }
        let error = roomError { _ = try polls.responses() }
        #expect(error == .mayNotSeeAnswers("p", role: "host") && error?.kind == .forbidden)
        #expect(try polls.fixture.room.polls(for: "v").ownResponses(of: "p").count == 1)
    }

    @Test mutating func whileAQuizRunsOnlyWhoMayWriteReadsWhatOthersSaid() throws {
        try polls.run(PollSettings(title: "Quiz", kind: .quiz))
        try polls.answer(PollSubmission(question: 1, option: 1), by: "g")
        #expect(try polls.responses().count == 1)
        func others() throws -> Int {
            try polls.fixture.room.pollResponses(
                of: "p", from: 0, count: 50, by: "v", at: polls.fixture.now
            ).responses.count
        }
        #expect(roomError { _ = try others() } == .mayNotSeeAnswers("p", role: "viewer"))
        try polls.stop()
        #expect(try others() == 1)
    }

    @Test mutating func whatIsRightIsHiddenWhileItRuns() throws {
        try polls.run(
            PollSettings(title: "Quiz", kind: .quiz),
            [
                .choice("?", "a", "b", right: 2, isHidden: true),
                .choice("?", "a", "b", right: 1),
            ])
        func key(_ peer: PeerID) throws -> [PollAnswerKey?] {
            try polls.fixture.room.polls(for: peer).questions(of: "p").map(\.answer)
        }
        let shown = PollAnswerKey(options: [1])
        let hidden = PollAnswerKey(isHidden: true, options: [2])
        #expect(try key("g") == [PollAnswerKey(isHidden: true), shown])
        #expect(try key("h") == [hidden, shown])
        let verdicts = try polls.answer(
            PollSubmission(question: 1, option: 2), PollSubmission(question: 2, option: 1),
            by: "g")
        #expect(verdicts.map(\.isRight) == [nil, true])
        let effects = polls.pass(.seconds(1))
        #expect(effects.counted("g").first?.questions?.map(\.correct) == [nil, 1])
        #expect(effects.counted("h").first?.questions?.map(\.correct) == [1, 1])
        #expect(try polls.result(for: "v").questions?.map(\.correct) == [nil, 1])
        try polls.stop()
        #expect(try key("g") == [hidden, shown])
        #expect(try polls.result(for: "v").questions?.map(\.correct) == [1, 1])
    }
}
