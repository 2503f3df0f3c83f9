import MediaKernel
import Rooms
import Testing

@Suite struct PollLimitTests {
    var polls: PollFixture

    init() throws { polls = try PollFixture() }

    static let long = String(repeating: "x", count: 2049)

    static let settings: [(PollSettings, RoomError)] = [
        (PollSettings(title: long), .tooLong(field: "title", count: 2049, maximum: 2048)),
        (
            PollSettings(title: "?", duration: -1),
            .invalidField(field: "duration", reason: "must be 0 to 86400")
        ),
        (
            PollSettings(title: "?", duration: .max),
            .invalidField(field: "duration", reason: "must be 0 to 86400")
        ),
        (
            PollSettings(title: "?", voters: ["pope"]),
            .unknownRole("pope")
        ),
        (
            PollSettings(title: "?", viewers: ["__internal_recorder"]),
            .unknownRole("__internal_recorder")
        ),
        (
            PollSettings(title: "?", viewers: Array(repeating: "host", count: 101)),
            .tooLong(field: "roles", count: 101, maximum: 100)
        ),
    ]

    @Test(arguments: settings.indices) mutating func whatAPollMaySay(index: Int) throws {
        let (settings, refusal) = Self.settings[index]
        #expect(roomError { try polls.draft("p", settings) } == refusal)
        #expect(try polls.fixture.room.polls(for: "h").infos(nil, after: nil).isEmpty)
    }

    static let questions: [([PollQuestion], RoomError)] = [
        ([.choice("", "a")], .invalidField(field: "questions.0.text", reason: "is empty")),
        (
            [.choice("?", "a"), .choice("?", "")],
            .invalidField(field: "questions.1.options.0.text", reason: "is empty")
        ),
        ([.choice("?")], .invalidField(field: "questions.0.options", reason: "are missing")),
        (
            [PollQuestion(.longAnswer, text: "?", options: [.init(text: "a")])],
            .invalidField(field: "questions.0.options", reason: "are for choices only")
        ),
        ([.choice(long, "a")], .tooLong(field: "questions.0.text", count: 2049, maximum: 2048)),
        (
            [.choice("?", long)],
            .tooLong(field: "questions.0.options.0.text", count: 2049, maximum: 2048)
        ),
        (
            [
                PollQuestion(
                    .singleChoice, text: "?",
                    options: Array(repeating: .init(text: "a"), count: 51))
            ], .tooLong(field: "questions.0.options", count: 51, maximum: 50)
        ),
        (
            [PollQuestion(.singleChoice, text: "?", options: [.init(text: "a", weight: -1)])],
            .invalidField(field: "questions.0.options.0.weight", reason: "must be 0 to 10000")
        ),
        (
            [PollQuestion(.longAnswer, text: "?", weight: 10_001)],
            .invalidField(field: "questions.0.weight", reason: "must be 0 to 10000")
        ),
        (
            [PollQuestion(.longAnswer, text: "?", duration: -1)],
            .invalidField(field: "questions.0.duration", reason: "must be 0 to 86400")
        ),
        (
            [PollQuestion(.longAnswer, text: "?", lengths: 1...4097)],
            .invalidField(field: "questions.0.answer_max_len", reason: "must be 1 to 4096")
        ),
        (
            [PollQuestion(.longAnswer, text: "?", lengths: -1...4)],
            .invalidField(field: "questions.0.answer_min_len", reason: "must be 0 to 4")
        ),
        (
            [.choice("?", "a", right: 2)],
            .invalidField(
                field: "questions.0.answer.options", reason: "must be of the question's, each once")
        ),
        (
            [.choices("?", "a", "b", right: [1, 1])],
            .invalidField(
                field: "questions.0.answer.options", reason: "must be of the question's, each once")
        ),
        (
            [PollQuestion(.shortAnswer, text: "?", answer: PollAnswerKey(text: long))],
            .tooLong(field: "questions.0.answer.text", count: 2049, maximum: 2048)
        ),
        (
            Array(repeating: .choice("?", "a"), count: 51),
            .tooLong(field: "questions", count: 51, maximum: 50)
        ),
        (
            Array(repeating: .choice(String(repeating: "x", count: 2048), "a"), count: 32),
            .tooLong(field: "questions", count: 65568, maximum: 65536)
        ),
    ]

    @Test(arguments: questions.indices) mutating func whatQuestionsMaySay(index: Int) throws {
        let (questions, refusal) = Self.questions[index]
        try polls.draft("p", PollSettings(title: "?"), [.choice("before", "a")])
        let error = roomError { try polls.draft("p", PollSettings(title: "?"), questions) }
        #expect(error == refusal)
        #expect(error?.kind == .invalid)
        let kept = try polls.fixture.room.polls(for: "h").questions(of: "p")
        #expect(kept.map(\.text) == ["before"])
    }

    @Test mutating func idsAreShortVisibleASCII() throws {
        #expect(
            roomError { try polls.draft("") } == .invalidField(field: "poll_id", reason: "is empty")
        )
        #expect(
            roomError { try polls.draft("a b") }
                == .invalidField(field: "poll_id", reason: "must be visible ASCII without blanks"))
        let long = PollID(String(repeating: "x", count: 129))
        let tooLong = RoomError.tooLong(field: "poll_id", count: 129, maximum: 128)
        #expect(roomError { try polls.draft(long) } == tooLong)
        #expect(
            roomError { _ = try polls.fixture.room.polls(for: "h").info(of: long) } == tooLong)
    }

    @Test mutating func theOldestThatIsOverOrNotYetStartedMakesRoomForAnotherPoll() throws {
        for index in 0..<52 {
            polls.fixture.now += .seconds(1)
            try polls.draft(PollID("p\(index)"))
        }
        let drafts = try polls.fixture.room.polls(for: "h").infos(nil, after: nil).map(\.id)
        #expect(drafts == (2..<52).map { PollID("p\($0)") })
        for id in drafts { try polls.start(id) }
        polls.fixture.now += .seconds(1)
        let error = roomError { try polls.draft("more") }
        #expect(error == .tooManyPolls(maximum: 50) && error?.kind == .invalid)
        for id: PollID in ["p7", "p3"] {
            try polls.stop(id)
        }
        try polls.draft("more")
        let ids = try polls.fixture.room.polls(for: "h").infos(nil, after: nil).map(\.id)
        #expect(ids.count == 50 && !ids.contains("p3") && ids.contains("p7"))
        #expect(ids.last == "more")
    }

    @Test mutating func answersAreBoundedAndWhatIsOverMakesRoom() throws {
        let text = String(repeating: "😀", count: 4096)
        let question = PollQuestion(.longAnswer, text: "?", lengths: 1...4096)
        let questions = Array(repeating: question, count: 50)
        for id: PollID in ["old", "new"] {
            try polls.draft(id, PollSettings(title: "?", tracking: .peerID), questions)
            try polls.start(id)
        }
        func fill(_ id: PollID) throws -> Int {
            for count in 0... {
                let peer = PeerID("\(id)\(count)")
                try polls.fixture.join(peer)
                polls.fixture.now += .seconds(1)
                let verdicts = try polls.fixture.room.pollAnswered(
                    id, (1...50).map { PollSubmission(question: $0, text: text) }, by: peer,
                    at: polls.fixture.now)
                polls.fixture.room.left(peer)
                if let refused = verdicts.firstIndex(where: { $0.refusal != nil }) {
                    #expect(
                        verdicts[refused].refusal == .pollsFull(maximum: 32 * 1024 * 1024))
                    return 50 * count + refused
                }
            }
            return 0
        }
        #expect(try fill("old") == 2038, "32 MiB of 16 KiB each, and a little")
        let error = roomError {
            try polls.answer(PollSubmission(question: 1, text: text), by: "g", to: "new")
        }
        #expect(error?.kind == .invalid)
        // Its space is free for another one once it is over.
        try polls.stop("old")
        try polls.answer(PollSubmission(question: 1, text: text), by: "g", to: "new")
        #expect(
            roomError { _ = try polls.fixture.room.polls(for: "h").info(of: "old") }
                == .unknownPoll("old"))
    }

    @Test mutating func requestsThatCostOthersAreCounted() throws {
        try polls.run()
        // One was spent on joining.
        for _ in 0..<99 { try polls.answer(PollSubmission(question: 1, option: 1), by: "g") }
        let flood = RoomError.tooManyRequests(perSecond: 20)
        #expect(
            roomError { try polls.answer(PollSubmission(question: 1, option: 1), by: "g") }
                == flood)
        #expect(
            roomError {
                _ = try polls.fixture.room.pollResponses(
                    of: "p", from: 0, count: 50, by: "g", at: polls.fixture.now)
            } == flood)
        // Small reads are not limited: clients request every poll's questions as they come.
        for _ in 0..<200 {
            _ = try polls.fixture.room.polls(for: "g").questions(of: "p")
            _ = try polls.fixture.room.polls(for: "g").ownResponses(of: "p")
            _ = try polls.result(for: "g")
        }
        try polls.answer(PollSubmission(question: 1, option: 1), by: "v")
    }

    @Test mutating func pagesHaveNoMoreThanTheirMaximum() throws {
        try polls.run(PollSettings(title: "?", tracking: .peerID))
        for index in 0..<60 {
            try polls.fixture.join(PeerID("x\(index)"))
            try polls.answer(
                PollSubmission(question: 1, option: 1), by: PeerID("x\(index)"))
        }
        func page(_ index: Int?, _ count: Int?) throws -> (Int, Bool) {
            polls.fixture.now += .seconds(1)
            let page = try polls.fixture.room.pollResponses(
                of: "p", from: index, count: count, by: "h", at: polls.fixture.now)
            return (page.responses.count, page.isLast)
        }
        #expect(try page(nil, nil) == (50, false))
        #expect(try page(50, 50) == (10, true))
        #expect(try page(0, .max) == (50, false))
        #expect(try page(59, 0) == (1, true))
        #expect(try page(.max, .min) == (0, true))
        #expect(try page(.min, 3) == (3, false))
    }
}
