internal import MediaKernel

/// How much a peer may ask at the moment.
struct RequestRates: Hashable, Sendable {
    /// Of requests that reach others.
    var fanOut: TokenBucket
    /// Of requests that only read.
    var reads: TokenBucket

    init(_ limits: RoomLimits, at now: Instant) {
        fanOut = TokenBucket(rate: limits.fanOutPerSecond, burst: limits.fanOutBurst, at: now)
        reads = TokenBucket(rate: limits.readsPerSecond, burst: limits.readsBurst, at: now)
    }

    /// Whether it is as much as a newcomer may.
    func areFull(_ limits: RoomLimits, at now: Instant) -> Bool {
        var rates = self
        return rates.fanOut.take(limits.fanOutBurst, at: now)
            && rates.reads.take(limits.readsBurst, at: now)
    }
}
