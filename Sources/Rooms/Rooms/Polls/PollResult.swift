/// What was answered, in numbers.
public struct PollResult: Hashable, Sendable {
    public struct Question: Hashable, Sendable {
        public let kind: PollQuestion.Kind
        /// How many chose each option; empty where there are none.
        public internal(set) var options: [Int]
        /// Nil while nobody is to know what is right.
        public internal(set) var correct: Int?
        public internal(set) var skipped = 0
        /// Answers that are none to skip it.
        public internal(set) var total = 0

        init(_ question: PollQuestion) {
            kind = question.kind
            options = Array(repeating: 0, count: question.options.count)
            correct = 0
        }

        mutating func count(_ answer: PollAnswer, isRight: Bool, by step: Int) {
            switch answer {
            case .skipped:
                skipped += step
                return
            case .options(let chosen):
                for option in chosen { options[option - 1] += step }
            case .text:
                break
            }
            total += step
            if isRight { correct = (correct ?? 0) + step }
        }
    }

    /// Peers that were in the room at once, at most, while the poll ran.
    public internal(set) var audience = 0
    /// Those who answered something.
    public internal(set) var voters = 0
    /// Answers to all questions.
    public internal(set) var responses = 0
    /// In their sequence; nil where the reader may not see what was answered.
    public internal(set) var questions: [Question]?
}

/// How much of a poll's result somebody may see.
enum PollSight: Hashable, CaseIterable {
    case everything
    /// Not how many are right where that is hidden, while the poll runs.
    case counts
    /// Only how many have answered.
    case turnout
}
