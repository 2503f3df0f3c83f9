/// The answers in numbers.
public struct PollResult: Hashable, Sendable {
    public struct Question: Hashable, Sendable {
        public let kind: PollQuestion.Kind
        /// The number of votes for each option; empty without options.
        public internal(set) var options: [Int]
        /// Nil while the right answer is hidden.
        public internal(set) var correct: Int?
        public internal(set) var skipped = 0
        /// Answers without skipped ones.
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

    /// The most peers that were in the room at once while the poll ran.
    public internal(set) var audience = 0
    /// The number of peers that have answered.
    public internal(set) var voters = 0
    /// Answers to all questions.
    public internal(set) var responses = 0
    /// In order; nil if the reader may not see the answers.
    public internal(set) var questions: [Question]?
}

/// How much of a poll's result a peer may see.
enum PollSight: Hashable, CaseIterable {
    case everything
    /// Without the number of right answers while the poll runs, if that is hidden.
    case counts
    /// Only the number of voters.
    case turnout
}
