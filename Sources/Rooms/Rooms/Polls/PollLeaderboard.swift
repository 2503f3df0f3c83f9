/// How those who answered a quiz did, the best first.
public struct PollLeaderboard: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// From 1.
        public internal(set) var position = 0
        /// What the right answers weigh, less what wrong ones take away.
        public internal(set) var score = 0
        /// Answers that are none to skip a question.
        public internal(set) var responses = 0
        public internal(set) var correctResponses = 0
        /// In milliseconds: of the right answers together.
        public internal(set) var duration = 0
        public let voter: PollVoter

        /// More points first, then the quicker one.
        fileprivate func isBetter(than other: Entry) -> Bool {
            score != other.score ? score > other.score : duration < other.duration
        }
    }

    /// Peers that were in the room at once, at most, while it ran.
    public let audience: Int
    public let entries: [Entry]
    /// Those whose answers are all there and right.
    public let correctVoters: Int
    /// In milliseconds: of an answer.
    public let averageTime: Int
    /// Of those who answered.
    public let averageScore: Double

    /// - Parameters:
    ///   - entries: in the order in which they first answered, which decides between equals.
    ///   - questions: so many could be answered.
    ///   - time: in milliseconds: of all answers together.
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
