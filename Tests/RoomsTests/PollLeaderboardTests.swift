import MediaKernel
import Rooms
import Testing

@Suite struct PollLeaderboardTests {
    var polls: PollFixture

    init() throws { polls = try PollFixture() }

    /// Three questions of 1, 5 and 10 points; a wrong answer to the last one subtracts as many.
    mutating func runQuiz(tracking: PollSettings.Tracking = .userID) throws {
        var five = PollQuestion.choice("5", "right", "wrong", right: 1)
        five.weight = 5
        var ten = PollQuestion.choices("10", "right", "right", "wrong", right: [1, 2])
        ten.weight = 10
        ten.isNegative = true
        try polls.run(
            PollSettings(title: "Quiz", kind: .quiz, tracking: tracking),
            [.choice("1", "right", "wrong", right: 1), five, ten])
        polls.fixture.now += .seconds(60)
    }

    /// Answers all three: correctly for an `r` in `pattern`, skipped for an `s`, not at all for a
    /// dot.
    mutating func answer(_ pattern: String, _ milliseconds: Int, by peer: PeerID) throws {
        for (place, mark) in pattern.enumerated() where mark != "." {
            let isRight = mark == "r"
            try polls.answer(
                PollSubmission(
                    question: place + 1, isSkipped: mark == "s",
                    options: place == 2 ? (isRight ? [1, 2] : [1]) : [isRight ? 1 : 2],
                    duration: milliseconds), by: peer)
        }
    }

    static let scores: [(String, Int, Int, Int, Int)] = [
        ("rrr", 16, 3, 3, 300), ("wrr", 15, 3, 2, 200), ("rww", -9, 3, 1, 100),
        ("rrs", 6, 2, 2, 200), ("sss", 0, 0, 0, 0), ("r..", 1, 1, 1, 100), ("www", -10, 3, 0, 0),
    ]

    @Test(arguments: scores)
    mutating func aScore(
        pattern: String, score: Int, responses: Int, correct: Int, duration: Int
    ) throws {
        try runQuiz()
        try answer(pattern, 100, by: "g")
        try polls.stop()
        let entry = try #require(try polls.leaderboard().entries.first)
        #expect(entry.position == 1 && entry.score == score)
        #expect(entry.responses == responses && entry.correctResponses == correct)
        #expect(entry.duration == duration, "of the right answers alone")
        #expect(entry.voter.name == "G")
    }

    @Test mutating func theBestIsFirstThenTheQuickestThenWhoAnsweredFirst() throws {
        for peer: PeerID in ["1", "2", "3", "4"] { try polls.fixture.join(peer) }
        try runQuiz()
        try answer("rr.", 900, by: "1")
        try answer("rrr", 5000, by: "2")
        try answer("rr.", 100, by: "3")
        try answer("rr.", 900, by: "4")
        try polls.stop()
        let board = try polls.leaderboard()
        #expect(board.entries.map(\.voter.peer) == ["2", "3", "1", "4"])
        #expect(board.entries.map(\.position) == [1, 2, 3, 4])
        #expect(board.entries.map(\.score) == [16, 6, 6, 6])
        #expect(board.audience == 8 && board.correctVoters == 1)
        #expect(board.averageScore == 8.5)
        // 2 × 900, 3 × 5000, 2 × 100, 2 × 900 ms, of nine answers
        #expect(board.averageTime == 2088)
        #expect(try polls.leaderboard() == board)
    }

    @Test mutating func oneQuestionHasALeaderboardOfItsOwn() throws {
        try runQuiz()
        try answer("wr.", 100, by: "g")
        try answer("r..", 50, by: "v")
        try polls.stop()
        let first = try polls.leaderboard(1)
        #expect(first.entries.map(\.voter.peer) == ["v", "g"])
        #expect(first.entries.map(\.score) == [1, 0] && first.correctVoters == 1)
        #expect(try polls.leaderboard(2).entries.map(\.voter.peer) == ["g"])
        #expect(try polls.leaderboard(3).entries.isEmpty)
        for question in [0, 4, Int.max, Int.min] {
            #expect(
                roomError { _ = try polls.leaderboard(question) }
                    == .invalidField(field: "question", reason: "must be 1 to 3"))
        }
    }

    @Test mutating func thereIsNoneBeforeTheEnd() throws {
        try runQuiz()
        #expect(roomError { _ = try polls.leaderboard() } == .pollState("p", .started))
        try polls.stop()
        let board = try polls.leaderboard()
        #expect(board.entries.isEmpty && board.averageScore == 0 && board.averageTime == 0)
    }

    @Test mutating func nobodyTookLongerThanThereWasTimeNorLessThanNone() throws {
        try runQuiz()
        for (claimed, counted) in [(Int.max, 60_000), (-5, 0), (60_001, 60_000), (7, 7)] {
            try answer("r..", claimed, by: "g")
            #expect(try polls.responses().map(\.duration) == [counted])
        }
    }
}
