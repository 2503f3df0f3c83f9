import MediaKernel

/// How what a peer's way carries is shared out to the videos that it receives.
struct BandwidthSharing {
    /// Bits per second of all that the peer receives; nil for as much as its way carries.
    var bitsPerSecondMaximum: Int?
    var lossRule: LossDegradationRule?
    /// When the way is looked at again.
    var nextAllocation: Instant
    /// The peer received videos at the last look.
    var hadVideos = false
    var allocator = LayerAllocator()
    var probes = ProbePlan()
    var lossDegradation = LossDegradation()
    /// The way limits what the peer gets, and not its maximum.
    var isLimitedByWay = false
    /// The address to which the probes were planned.
    var probedAddress: TransportAddress?

    init(nextAllocation: Instant) { self.nextAllocation = nextAllocation }
}
