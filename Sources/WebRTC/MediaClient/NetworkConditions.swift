/// Simulates a poor network for the datagrams that a client sends, to test the receivers.
public struct NetworkConditions: Hashable, Sendable {
    /// Share of datagrams that never arrive, 0 to 1.
    public var loss: Double
    /// Each datagram is delayed by up to this much, at random; the order stays.
    public var jitter: Duration
    /// Share of datagrams overtaken by those of the next `NetworkPath.holdBack`.
    public var reordering: Double
    /// Equal seeds give equal conditions.
    public var seed: UInt64

    public init(
        loss: Double = 0, jitter: Duration = .zero, reordering: Double = 0, seed: UInt64 = 1
    ) {
        self.loss = loss
        self.jitter = jitter
        self.reordering = reordering
        self.seed = seed
    }
}
