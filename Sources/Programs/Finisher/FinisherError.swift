public import Recording

/// Why a finisher fails. Another run may succeed.
public enum FinisherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `stream.json` is missing or unreadable.
    case unreadable(String)
    /// A bot or another finisher is working in the directory.
    case inUse(String)
    case recording(RecordingError)

    /// Whether it succeeds once there is space on a disk.
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
