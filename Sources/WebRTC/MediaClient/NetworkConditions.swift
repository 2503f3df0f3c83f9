/// What a client's own network does to the datagrams that it sends: for tests of those who
/// receive them.
public struct NetworkConditions: Hashable, Sendable {
    /// Share of datagrams that never arrive, 0 to 1.
    public var loss: Double
    /// Each datagram takes up to so much longer, at random; the order stays.
    public var jitter: Duration
    /// Share of datagrams that are overtaken by those of the next `NetworkPath.holdBack`.
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
