/// How a finisher's process came to its end.
public enum FinisherExit: Hashable, Sendable {
    /// The assets are there, and the manifest.
    case finished
    case failed(reason: String, ProcessEnding = .unknown)
    /// A disk is full: there is nothing wrong that room does not mend.
    case noRoom(reason: String)
}
