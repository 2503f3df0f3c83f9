/// What a bot says of its own failure, where that decides what becomes of the stream.
public enum BotFailure: String, Hashable, Sendable, Codable {
    /// No encoder can be opened for a layer.
    case notEncoded = "not_encoded"
    case diskFull = "disk_full"

    /// Of a stream that is given up for it.
    var cause: StreamFailure.Cause {
        switch self {
        case .notEncoded: .notEncoded
        case .diskFull: .diskFull
        }
    }
}
