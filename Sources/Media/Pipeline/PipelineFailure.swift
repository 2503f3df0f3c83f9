import Glibc
import Recording

/// Why a pipeline cannot go on.
public struct PipelineFailure: Hashable, Sendable {
    /// For people.
    public var reason: String
    /// Whether a disk is full.
    public var isForWantOfRoom = false

    public init(_ reason: String) { self.reason = reason }

    /// - Parameter place: where it happened, such as `layer 0`.
    public init(_ error: any Error, in place: String? = nil) {
        reason = (place.map { "\($0): " } ?? "") + "\(error)"
        isForWantOfRoom =
            switch error {
            case let error as RecordingError: error.isForWantOfRoom
            case PipelineError.file(_, _, let code, _): code == ENOSPC || code == EDQUOT
            default: false
            }
    }
}
