import MediaKernel

/// One track's relation between its RTP clock and its peer's NTP clock, from sender reports.
/// RFC 3550 sect. 6.4.1.
///
/// ```
///            plausible report                      implausible report
///             ┌────────┐             ┌──────────────────────────────────────────┐
///   none ──► settled ◄─┘  settled ──►│ settled with a candidate: the old relation │
///                ▲                   │ goes on, since both clocks tick well alone │
///                │                   └──┬──────────────────────────┬────────────┘
///                │  plausible report    │    the same jump, repeated │
///                └──────────────────────┘                            ▼
///                └───────────────────── adopt() ◄──────────────── confirmed
/// ```
struct ReportMapping: Sendable {
    /// A relation that differs from the settled one, and how often it was reported.
    struct Candidate: Sendable {
        var offset: Int64
        var count: Int
        var firstSeen: Instant
    }

    /// NTP time minus media time in nanoseconds, nil before the first report.
    private(set) var offset: Int64?
    private(set) var candidate: Candidate?
    private(set) var lastReport: Instant?
    private var settledCount = 0

    /// Reports are made by programs that are interrupted; WebRTC's differ by a few ms.
    static let tolerance: Int64 = 30_000_000
    /// What two clocks of 300 parts in a million, one fast and one slow, may part in a nanosecond.
    private static let driftParts: Int64 = 600
    /// Beyond this a report is absurd and needs more repetition.
    private static let absurdDeviation: Int64 = 5_000_000_000
    private static let confirmations = (implausible: 2, absurd: 3)
    /// Reports that are taken as they are before averaging begins.
    private static let reportsBeforeSmoothing = 3

    mutating func reported(offset reported: Int64, at now: Instant) {
        let age = lastReport.map { max(0, now.nanoseconds - $0.nanoseconds) } ?? 0
        lastReport = now
        guard let settled = offset else {
            offset = reported
            settledCount = 1
            return
        }
        let deviation = reported &- settled
        let allowed = Self.tolerance + age / 1_000_000 * Self.driftParts
        guard deviation.magnitude > UInt64(allowed) else {
            settledCount += 1
            let share: Int64 = settledCount <= Self.reportsBeforeSmoothing ? 1 : 2
            offset = settled &+ deviation / share
            candidate = nil
            return
        }
        if var repeated = candidate,
            (reported &- repeated.offset).magnitude <= UInt64(allowed)
        {
            repeated.offset = reported
            repeated.count += 1
            candidate = repeated
        } else {
            candidate = Candidate(offset: reported, count: 1, firstSeen: now)
        }
    }

    /// How far the candidate is from the settled relation.
    var jump: Int64? {
        guard let candidate, let offset else { return nil }
        return candidate.offset &- offset
    }

    /// Whether the candidate has been repeated often enough to be believed.
    var isConfirmed: Bool {
        guard let candidate, let jump else { return false }
        let isAbsurd = jump.magnitude > UInt64(Self.absurdDeviation)
        return candidate.count
            >= (isAbsurd ? Self.confirmations.absurd : Self.confirmations.implausible)
    }

    /// The candidate becomes the settled relation.
    mutating func adopt() {
        guard let candidate else { return }
        offset = candidate.offset
        settledCount = 1
        self.candidate = nil
    }
}
