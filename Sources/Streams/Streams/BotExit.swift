/// How a bot's process came to its end.
public enum BotExit: Hashable, Sendable, CustomStringConvertible {
    /// It finished its playlists and left with status 0.
    case finished(reason: String)
    /// - Parameter failure: nil where it is of no kind that matters.
    case failed(reason: String, failure: BotFailure? = nil, ProcessEnding = .unknown)
    /// There never was a process.
    case notStarted(reason: String, failure: BotFailure? = nil)

    /// Of SIGTERM, which it had not come as far as to heed.
    public var isTermination: Bool {
        if case .failed(_, _, let ending) = self { ending.isTermination } else { false }
    }

    public var description: String {
        switch self {
        case .finished(let reason): "finished: \(reason)"
        case .failed(let reason, _, _): "failed: \(reason)"
        case .notStarted(let reason, _): "not started: \(reason)"
        }
    }

    /// What made it fail, where that matters.
    var failure: BotFailure? {
        switch self {
        case .finished: nil
        case .failed(_, let failure, _), .notStarted(_, let failure): failure
        }
    }
}
