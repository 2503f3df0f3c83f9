import MediaKernel

/// The state for sharing the bandwidth of a peer, or of one of its connections, among the videos
/// that it receives there. Confined to its media loop.
final class BandwidthSharing {
    /// The maximum of everything that the peer receives; nil for as much as its path carries.
    var bitsPerSecondMaximum: Int?
    var lossRule: LossDegradationRule?
    /// When layers are next allocated.
    var nextAllocation: Instant
    /// The peer received videos at the last allocation.
    var hadVideos = false
    var allocator = LayerAllocator()
    var probes = ProbePlan()
    var lossDegradation = LossDegradation()
    /// The path limits the peer's videos, rather than the configured maximum.
    var isLimitedByWay = false
    /// The address for which the probes were planned.
    var probedAddress: TransportAddress?

    init(nextAllocation: Instant) { self.nextAllocation = nextAllocation }
}
