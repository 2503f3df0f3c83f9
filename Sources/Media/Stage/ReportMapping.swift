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
///
/// A sender whose reports each contradict all earlier ones does not know its own clocks. Then there
/// is no relation, as before the first report, until several reports in a row agree.
struct ReportMapping: Sendable {
    /// A relation that differs from the settled one, and how often it was reported.
    struct Candidate: Sendable {
        var offset: Int64
        var count: Int
        var firstSeen: Instant
    }

    private enum Phase: Sendable {
        case unheard
        /// Nanoseconds of NTP time minus media time, and how many reports agreed with it.
        case settled(offset: Int64, count: Int)
        case erratic
    }

    private var phase = Phase.unheard
    private(set) var candidate: Candidate?
    private(set) var lastReport: Instant?
    /// Reports since the last plausible one that agreed with no earlier report.
    private var contradictions = 0

    /// Programs that make reports are interrupted; WebRTC's differ by a few ms.
    static let tolerance: Int64 = 30_000_000
    /// How far two clocks of 300 parts in a million, one fast and one slow, may part in a
    /// nanosecond.
    private static let driftParts: Int64 = 600
    /// Beyond this a report is absurd and needs more repetition.
    private static let absurdDeviation: Int64 = 5_000_000_000
    private static let confirmations = (implausible: 2, absurd: 3, afterErratic: 4)
    /// Contradictions until a sender counts as erratic.
    private static let contradictionsMaximum = 3
    /// Reports that are adopted unchanged before averaging begins.
    private static let reportsBeforeSmoothing = 3

    mutating func reported(offset reported: Int64, at now: Instant) {
        let age = lastReport.map { max(0, now.nanoseconds - $0.nanoseconds) } ?? 0
        lastReport = now
        let allowed = Self.tolerance + age / 1_000_000 * Self.driftParts
        switch phase {
        case .unheard:
            phase = .settled(offset: reported, count: 1)
        case .settled(let settled, let count):
            let deviation = reported &- settled
            guard deviation.magnitude > UInt64(allowed) else {
                let share: Int64 = count < Self.reportsBeforeSmoothing ? 1 : 2
                phase = .settled(offset: settled &+ deviation / share, count: count + 1)
                candidate = nil
                contradictions = 0
                return
            }
            guard !propose(reported, allowed: allowed, at: now) else { return }
            contradictions += 1
            if contradictions >= Self.contradictionsMaximum { phase = .erratic }
        case .erratic:
            propose(reported, allowed: allowed, at: now)
            if let candidate, candidate.count >= Self.confirmations.afterErratic { adopt() }
        }
    }

    /// Notes a relation that is not the settled one. Returns whether it was reported before.
    @discardableResult
    private mutating func propose(_ reported: Int64, allowed: Int64, at now: Instant) -> Bool {
        if var repeated = candidate,
            (reported &- repeated.offset).magnitude <= UInt64(allowed)
        {
            repeated.offset = reported
            repeated.count += 1
            candidate = repeated
            return true
        }
        candidate = Candidate(offset: reported, count: 1, firstSeen: now)
        return false
    }

    /// NTP time minus media time in nanoseconds; nil before the first report and while reports are
    /// unreliable.
    var offset: Int64? {
        if case .settled(let offset, _) = phase { offset } else { nil }
    }

    /// Whether more than one report agrees with it.
    var isEstablished: Bool {
        if case .settled(_, let count) = phase { count > 1 } else { false }
    }

    /// How far the candidate is from the settled relation.
    var jump: Int64? {
        guard let candidate, let offset else { return nil }
        return candidate.offset &- offset
    }

    /// Whether the candidate was repeated often enough to be adopted.
    var isConfirmed: Bool {
        guard let candidate, let jump else { return false }
        let isAbsurd = jump.magnitude > UInt64(Self.absurdDeviation)
        return candidate.count
            >= (isAbsurd ? Self.confirmations.absurd : Self.confirmations.implausible)
    }

    /// The candidate becomes the settled relation.
    mutating func adopt() {
        guard let candidate else { return }
        phase = .settled(offset: candidate.offset, count: candidate.count)
        self.candidate = nil
        contradictions = 0
    }
}
