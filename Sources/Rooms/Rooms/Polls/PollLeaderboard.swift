/// The standings of a quiz, best first.
public struct PollLeaderboard: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// From 1.
        public internal(set) var position = 0
        /// The weight of the right answers, less that of wrong ones with negative scoring.
        public internal(set) var score = 0
        /// Answers without skipped ones.
        public internal(set) var responses = 0
        public internal(set) var correctResponses = 0
        /// In milliseconds: of all right answers together.
        public internal(set) var duration = 0
        public let voter: PollVoter

        /// More points first, then the shorter time.
        fileprivate func isBetter(than other: Entry) -> Bool {
            score != other.score ? score > other.score : duration < other.duration
        }
    }

    /// The most peers that were in the room at once while it ran.
    public let audience: Int
    public let entries: [Entry]
    /// Voters who have answered all questions, and all correctly.
    public let correctVoters: Int
    /// In milliseconds: per answer.
    public let averageTime: Int
    /// Of all voters.
    public let averageScore: Double

    /// - Parameters:
    ///   - entries: in the order of their first answers, which decides ties.
    ///   - questions: the number of questions.
    ///   - time: in milliseconds, of all answers together.
    init(audience: Int, entries: [Entry], questions: Int, time: Int) {
        self.audience = audience
        let ranked = entries.enumerated().sorted { a, b in
            if a.element.isBetter(than: b.element) { return true }
            return !b.element.isBetter(than: a.element) && a.offset < b.offset
        }
        self.entries = ranked.enumerated().map { place, ranked in
            var entry = ranked.element
            entry.position = place + 1
            return entry
        }
        correctVoters = entries.count { questions > 0 && $0.correctResponses == questions }
        let responses = entries.reduce(0) { $0 + $1.responses }
        averageTime = responses == 0 ? 0 : time / responses
        let score = entries.reduce(0) { $0 + $1.score }
        averageScore = entries.isEmpty ? 0 : Double(score) / Double(entries.count)
    }
}
