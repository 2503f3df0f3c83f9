/// How a bot's process ended.
public enum BotExit: Hashable, Sendable, CustomStringConvertible {
    /// The bot finished its playlists and exited with status 0.
    case finished(reason: String)
    /// - Parameter failure: nil if the kind of failure does not matter.
    case failed(reason: String, failure: BotFailure? = nil, ProcessEnding = .unknown)
    /// No process was ever started.
    case notStarted(reason: String, failure: BotFailure? = nil)

    /// Whether SIGTERM ended the process, before it could handle the signal.
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

    /// The kind of failure, if it matters.
    var failure: BotFailure? {
        switch self {
        case .finished: nil
        case .failed(_, let failure, _), .notStarted(_, let failure): failure
        }
    }
}
