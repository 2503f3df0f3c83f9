/// A bot's own classification of its failure, where it decides the fate of the stream.
public enum BotFailure: String, Hashable, Sendable, Codable {
    /// No encoder can be opened for a layer.
    case notEncoded = "not_encoded"
    case diskFull = "disk_full"
    /// A web page cannot be shown, and the bot has tried more than once.
    case pageNotShown = "page_not_shown"
    /// What is to be shown is encrypted from end to end.
    case sourceEncrypted = "source_encrypted"
    /// Nothing came from what is to be shown, for as long as that may last.
    case sourceSilent = "source_silent"
    /// The way for the media of what is to be shown is lost, for longer than that may last.
    case sourceLost = "source_lost"
    /// What is to be shown does not admit us.
    case sourceClosed = "source_closed"

    /// Whether another bot would fail in the same way.
    var isFinal: Bool {
        switch self {
        case .pageNotShown, .sourceEncrypted, .sourceSilent, .sourceLost, .sourceClosed: true
        case .notEncoded, .diskFull: false
        }
    }

    /// The cause with which a stream is given up.
    var cause: StreamFailure.Cause {
        switch self {
        case .notEncoded: .notEncoded
        case .diskFull: .diskFull
        case .pageNotShown: .pageNotShown
        case .sourceEncrypted: .sourceEncrypted
        case .sourceSilent: .sourceSilent
        case .sourceLost: .sourceLost
        case .sourceClosed: .sourceClosed
        }
    }
}
