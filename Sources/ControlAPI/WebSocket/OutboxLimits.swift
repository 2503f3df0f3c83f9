/// What may wait to be written to one socket. A peer that falls further behind is closed.
public struct OutboxLimits: Hashable, Sendable {
    public var messages = 1024
    public var bytes = 4 * 1024 * 1024

    public init() {}
}
