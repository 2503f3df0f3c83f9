/// What may wait to be written to one socket. A peer that falls further behind is closed.
public struct OutboxLimits: Hashable, Sendable {
    public var messages = 1024
    /// A message counts for a quarter of them at most, so that one of any length goes through.
    public var bytes = 4 * 1024 * 1024

    public init() {}

    /// What a message counts for, in bytes.
    func weight(byteCount: Int) -> Int { min(byteCount, bytes / 4) }
}
