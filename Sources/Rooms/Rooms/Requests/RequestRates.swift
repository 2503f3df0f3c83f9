internal import MediaKernel

/// How many requests a peer may make at present.
struct RequestRates: Hashable, Sendable {
    /// Of requests that reach others.
    var fanOut: TokenBucket
    /// Of requests that only read.
    var reads: TokenBucket

    init(_ limits: RoomLimits, at now: Instant) {
        fanOut = TokenBucket(rate: limits.fanOutPerSecond, burst: limits.fanOutBurst, at: now)
        reads = TokenBucket(rate: limits.readsPerSecond, burst: limits.readsBurst, at: now)
    }

    /// Whether the rates are as full as a newcomer's.
    func areFull(_ limits: RoomLimits, at now: Instant) -> Bool {
        var rates = self
        return rates.fanOut.take(limits.fanOutBurst, at: now)
            && rates.reads.take(limits.readsBurst, at: now)
    }
}
