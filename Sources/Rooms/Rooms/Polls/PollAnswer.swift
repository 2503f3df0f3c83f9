public import MediaKernel

/// A client's answer to one question of any kind.
public struct PollSubmission: Hashable, Sendable {
    /// Its number, from 1.
    public var question: Int
    public var kind: PollQuestion.Kind?
    public var isSkipped: Bool
    public var option: Int?
    public var options: [Int]?
    public var text: String?
    /// In milliseconds: the time it took according to the client.
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

/// An accepted answer.
public enum PollAnswer: Hashable, Sendable {
    case skipped
    /// By their numbers from 1, ascending.
    case options([Int])
    case text(String)

    /// Its approximate memory in bytes.
    var bytes: Int {
        switch self {
        case .skipped: 64
        case .options(let options): 64 + 8 * options.count
        case .text(let text): 64 + text.utf8.count
        }
    }
}

/// The result of one submission.
public struct PollVerdict: Hashable, Sendable {
    public let question: Int
    /// Nil while it is not revealed yet, and for a refused answer.
    public let isRight: Bool?
    /// Why it does not count.
    public let refusal: RoomError?
}

/// A peer that has answered a poll.
public struct PollVoter: Hashable, Sendable {
    /// Random for each poll: it distinguishes voters without identifying them.
    public let hash: String
    /// As of the latest answer; nil in an anonymous poll.
    public internal(set) var peer: PeerID?
    public internal(set) var userID: String?
    public internal(set) var name: String?
}

/// One answer, as others see it.
public struct PollResponse: Hashable, Sendable {
    public let voter: PollVoter
    public let question: Int
    public let kind: PollQuestion.Kind
    public let answer: PollAnswer
    /// In milliseconds.
    public let duration: Int
    /// It replaces an earlier one.
    public let isUpdate: Bool

    public var id: String { "\(voter.hash)-\(question)" }
}
