import MediaKernel

/// Decides whose pictures are decoded with the CPU there is; who is heard is not its matter. Knows
/// no clock.
///
/// ```
///             decoding takes longer than the frames took to come
///  (decoded) ────────────────────────────────────────────────────► (left out)
///      ▲                                                               │ calm, and its turn:
///      └───────────────── its key frame has come ◄───── (awaited) ◄────┘ a key frame is asked for
/// ```
/// A video that is left out needs a key frame to come back, and a key frame is what costs most. So
/// videos are left out one by one, the least important first, come back one by one, the most
/// important first, and a return that does not hold doubles the calm that the next one needs.
struct DecodingGovernor: Sendable {
    /// What to do with a frame.
    enum Verdict: Hashable, Sendable {
        case decode
        case leaveOut
        /// The same, and a key frame is asked for.
        case leaveOutAndAsk
    }

    /// By how much decoding is behind when a video is left out, and when all of them are.
    static let backlogHigh: Duration = .seconds(1)
    static let backlogMaximum: Duration = .seconds(2)
    /// Up to which backlog it is calm.
    static let backlogLow: Duration = .milliseconds(150)
    /// From one video that is left out to the next, for it to show what it does.
    static let settling: Duration = .milliseconds(500)
    /// Calm before a return, at first and at most.
    static let calmMinimum: Duration = .seconds(1)
    static let calmMaximum: Duration = .seconds(64)
    /// A return that has held for so long was right.
    static let holding: Duration = .seconds(15)

    private struct Absence: Sendable {
        enum Phase: Sendable {
            case waiting
            /// Its turn has come, and a key frame was asked for then.
            case awaited(since: Instant)
        }

        var phase = Phase.waiting
        /// When a frame of it was judged last.
        var lastFrame: Instant

        var isWaiting: Bool { if case .waiting = phase { true } else { false } }
    }

    /// When the batch that is being decoded was taken, and how long it took to come.
    private var batch: (taken: Instant, gathering: Duration)?
    /// How long decoding the batch has taken so far.
    private var spent = Duration.zero
    /// Videos of which the batch had frames that were decoded.
    private var candidates: Set<TrackID> = []
    private var leftOut: [TrackID: Absence] = [:]
    private var calm = calmMinimum
    /// From when on it has been calm, and nothing has been left out or asked for.
    private var calmSince: Instant?
    private var lastLeftOut: Instant?
    private var lastReturn: Instant?

    /// Videos that are not decoded now.
    var videosLeftOut: Int { leftOut.count }

    /// All that has come until an instant is decoded next. A video that was left out and of which
    /// nothing has come for as long as a return takes is not missed any more.
    mutating func began(batchTakenAt taken: Instant) {
        batch = (taken, taken - (batch?.taken ?? taken))
        spent = .zero
        candidates.removeAll(keepingCapacity: true)
        if !leftOut.isEmpty { leftOut = leftOut.filter { taken - $0.value.lastFrame <= calm } }
    }

    /// Decoding one frame has taken so long.
    mutating func decoded(in time: Duration) { spent += time }

    mutating func forget(_ track: TrackID) { leftOut[track] = nil }

    /// Forgets those that would not be shown if they were decoded.
    mutating func keep(_ isShown: (TrackID) -> Bool) {
        if !leftOut.isEmpty { leftOut = leftOut.filter { isShown($0.key) } }
    }

    /// By how much decoding is behind. What was decoded faster than it came only makes up for a
    /// time in which the thread was held up.
    private var backlog: Duration { spent > batch?.gathering ?? .zero ? spent : .zero }

    /// - Parameters:
    ///   - isLastResort: whether all else that could be done for want of CPU has been done; until
    ///     then no more videos are left out.
    ///   - importance: of a video, beside others; called only where there is a choice to make.
    mutating func judge(
        _ track: TrackID, isKeyframe: Bool, isLastResort: Bool, at now: Instant,
        importance: (TrackID) -> Int
    ) -> Verdict {
        if backlog > Self.backlogLow { calmSince = now }
        if let lastReturn, now - lastReturn >= Self.holding {
            self.lastReturn = nil
            calm = Self.calmMinimum
        }
        guard let absence = leftOut[track] else {
            candidates.insert(track)
            if isLastResort, isTooMuch(at: now) { leaveOneOut(at: now, importance) }
            return leftOut[track] == nil ? .decode : .leaveOut
        }
        leftOut[track]?.lastFrame = now
        switch absence.phase {
        case .waiting:
            return isCalm(at: now) && isFirst(track, importance) ? ask(track, at: now) : .leaveOut
        case .awaited where isKeyframe:
            leftOut[track] = nil
            return .decode
        // What was asked for may have been lost.
        case .awaited(let since):
            return now - since >= calm ? ask(track, at: now) : .leaveOut
        }
    }

    private func isTooMuch(at now: Instant) -> Bool {
        guard backlog < Self.backlogMaximum else { return true }
        return backlog >= Self.backlogHigh
            && lastLeftOut.map { now - $0 >= Self.settling } ?? true
    }

    /// The least important one of those that cost the time. Names break ties, so that equal rooms
    /// lose the same.
    private mutating func leaveOneOut(at now: Instant, _ importance: (TrackID) -> Int) {
        let least = candidates.min { (importance($0), $1) < (importance($1), $0) }
        guard let least else { return }
        if lastReturn != nil {
            lastReturn = nil
            calm = min(calm * 2, Self.calmMaximum)
        }
        lastLeftOut = now
        candidates.remove(least)
        leftOut[least] = Absence(lastFrame: now)
    }

    /// Whether no other one that waits is more important.
    private func isFirst(_ track: TrackID, _ importance: (TrackID) -> Int) -> Bool {
        !leftOut.contains { other, absence in
            absence.isWaiting && (importance(track), other) < (importance(other), track)
        }
    }

    private mutating func isCalm(at now: Instant) -> Bool {
        let since = calmSince ?? now
        calmSince = since
        return now - since >= calm
    }

    private mutating func ask(_ track: TrackID, at now: Instant) -> Verdict {
        leftOut[track]?.phase = .awaited(since: now)
        calmSince = now
        lastReturn = now
        return .leaveOutAndAsk
    }
}
