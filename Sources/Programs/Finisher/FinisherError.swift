public import Recording

/// Why a finisher gives up. Started again, it may succeed.
public enum FinisherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no `stream.json`, or it cannot be read.
    case unreadable(String)
    /// A bot or another finisher is at work on the directory.
    case inUse(String)
    case recording(RecordingError)

    /// Whether it succeeds as soon as somebody makes room on a disk.
    public var isForWantOfRoom: Bool {
        guard case .recording(let error) = self else { return false }
        return error.isForWantOfRoom
    }

    public var description: String {
        switch self {
        case .unreadable(let path): "\(path) cannot be read"
        case .inUse(let path): "\(path) is in use by another process"
        case .recording(let error): error.description
        }
    }
}
