public enum BotError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process is writing into the stream's directory and does not exit.
    case inUse(String)

    public var description: String {
        switch self {
        case .inUse(let path): "\(path) is in use by another process"
        }
    }
}
