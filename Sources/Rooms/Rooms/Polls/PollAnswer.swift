public import MediaKernel

/// What a client sends as the answer to one question, of whatever kind that may be.
public struct PollSubmission: Hashable, Sendable {
    /// Its place, from 1.
    public var question: Int
    public var kind: PollQuestion.Kind?
    public var isSkipped: Bool
    public var option: Int?
    public var options: [Int]?
    public var text: String?
    /// In milliseconds: how long it took, as the client says.
    public var duration: Int

    public init(
        question: Int, kind: PollQuestion.Kind? = nil, isSkipped: Bool = false,
        option: Int? = nil, options: [Int]? = nil, text: String? = nil, duration: Int = 0
    ) {
        self.question = question
        self.kind = kind
        self.isSkipped = isSkipped
        self.option = option
        self.options = options
        self.text = text
        self.duration = duration
    }
}

/// An answer that a question takes.
public enum PollAnswer: Hashable, Sendable {
    case skipped
    /// By their places from 1, ascending.
    case options([Int])
    case text(String)

    /// What keeping it costs, in bytes, near enough.
    var bytes: Int {
        switch self {
        case .skipped: 64
        case .options(let options): 64 + 8 * options.count
        case .text(let text): 64 + text.utf8.count
        }
    }
}

/// What became of one submission.
public struct PollVerdict: Hashable, Sendable {
    public let question: Int
    /// Nil where nobody is told yet, and where it was refused.
    public let isRight: Bool?
    /// Why it does not count.
    public let refusal: RoomError?
}

/// Somebody who answered a poll.
public struct PollVoter: Hashable, Sendable {
    /// Made up for the poll: it keeps voters apart and says nothing of who they are.
    public let hash: String
    /// As of the latest answer; nil where the poll is anonymous.
    public internal(set) var peer: PeerID?
    public internal(set) var userID: String?
    public internal(set) var name: String?
}

/// One answer of somebody, as others are shown it.
public struct PollResponse: Hashable, Sendable {
    public let voter: PollVoter
    public let question: Int
    public let kind: PollQuestion.Kind
    public let answer: PollAnswer
    /// In milliseconds.
    public let duration: Int
    /// It came in the place of an earlier one.
    public let isUpdate: Bool

    public var id: String { "\(voter.hash)-\(question)" }
}
