import MediaKernel

/// What the director leaves out because the CPU is short: pictures, then videos,
/// and as a last resort time.
struct PipelineLoad: Sendable {
    private(set) var pictures: LoadGovernor
    var decoding = DecodingGovernor()
    var lag: LagGovernor
    /// The lag of the slowest layer in this batch.
    private var worstBacklog = Duration.zero
    /// As last reported.
    private var videosReported = 0

    /// - Parameter segment: the length of one.
    init(layers: Int, segment: Duration) {
        pictures = LoadGovernor(layers: layers)
        lag = LagGovernor(segment: segment)
    }

    mutating func began(batchTakenAt taken: Instant) {
        decoding.began(batchTakenAt: taken)
        worstBacklog = .zero
    }

    /// Takes the lag at one picture. The greatest of the batch counts: its last frames are hardly
    /// late, and would make a thread that is repeatedly behind look calm.
    ///
    /// - Returns: the new reduction, if it changes.
    mutating func observe(backlog: Duration, at now: Instant) -> Reduction? {
        worstBacklog = max(worstBacklog, backlog)
        return pictures.observe(backlog: worstBacklog, at: now)
    }

    /// The number of videos that are left out, if it has changed since the last call.
    mutating func videosLeftOutChange() -> Int? {
        guard decoding.videosLeftOut != videosReported else { return nil }
        videosReported = decoding.videosLeftOut
        return videosReported
    }
}
