/// Why a recording ended without Jicofo's wish.
public enum RecordingEnd: Hashable, Sendable {
    /// The call is over, or has taken as long as it may.
    case finished
    case failed(RecordingFailure)
}

/// What went wrong, as far as Jicofo and the operator need to know.
public enum RecordingFailure: Error, Hashable, Sendable {
    /// The room could not be entered.
    case notJoined
    /// The participants encrypt for each other. Nobody else can record it.
    case encrypted
    /// Nothing arrived although somebody is unmuted.
    case noMedia
    /// The way to the bridge is gone.
    case connectionFailed
    /// The stream's address is not one that the operator allows, or is no address.
    case targetRefused
    /// The stream's server does not take it, or no longer.
    case targetLost
    /// The directory cannot be written.
    case disk
    case `internal`

    /// Whether another recorder may succeed.
    public var shouldRetry: Bool {
        switch self {
        case .encrypted, .targetRefused: false
        case .notJoined, .noMedia, .connectionFailed, .targetLost, .disk, .internal: true
        }
    }

    /// Whether the next recording would fail too, so that this recorder is not to be chosen.
    public var isLasting: Bool { self == .disk }
}
