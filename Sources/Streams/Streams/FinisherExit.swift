/// How a finisher's process ended.
public enum FinisherExit: Hashable, Sendable {
    /// The assets and the manifest are complete.
    case finished
    case failed(reason: String, ProcessEnding = .unknown)
    /// A disk is full; nothing is wrong that free space does not fix.
    case noRoom(reason: String)
}
