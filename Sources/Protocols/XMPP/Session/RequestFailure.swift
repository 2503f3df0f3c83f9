/// Why a request of ours has no result.
public enum RequestFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case refused(StanzaError)
    case timedOut
    /// There is no stream, or it ended before the answer.
    case offline
    /// Too many wait for their answers.
    case tooMany

    public var description: String {
        switch self {
        case .refused(let error): "refused: \(error)"
        case .timedOut: "not answered in time"
        case .offline: "there is no connection"
        case .tooMany: "too many requests wait for their answers"
        }
    }
}
