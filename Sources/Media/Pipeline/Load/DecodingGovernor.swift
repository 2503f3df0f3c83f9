import MediaKernel

/// Decides which videos are decoded with the available CPU; it does not affect the sound. Has no
/// clock of its own.
///
/// ```
///             decoding takes longer than the frames took to come
///  (decoded) ────────────────────────────────────────────────────► (left out)
///      ▲                                                               │ calm, and its turn:
///      └───────────────── its key frame has come ◄───── (awaited) ◄────┘ a key frame is asked for
/// ```
/// A video that was left out needs a key frame to come back, and key frames cost most. So videos
/// are left out one by one, the least important first, and come back one by one, the most important
/// first; a return that does not hold doubles the calm that the next one needs.
struct DecodingGovernor: Sendable {
    /// The decision for a frame.
    enum Verdict: Hashable, Sendable {
        case decode
        case leaveOut
        /// Leave the frame out and request a key frame.
        case leaveOutAndAsk
    }

    /// Backlogs of decoding: from the first on one video is left out, from the second on all of
    /// them.
    static let backlogHigh: Duration = .seconds(1)
    static let backlogMaximum: Duration = .seconds(2)
    /// The backlog up to which decoding counts as calm.
    static let backlogLow: Duration = .milliseconds(150)
    /// The pause after leaving a video out, for its effect to show.
    static let settling: Duration = .milliseconds(500)
    /// Calm before a return, at first and at most.
    static let calmMinimum: Duration = .seconds(1)
    static let calmMaximum: Duration = .seconds(64)
    /// A return that holds for this long has succeeded.
    static let holding: Duration = .seconds(15)

    private struct Absence: Sendable {
        enum Phase: Sendable {
            case waiting
            /// A key frame was requested to bring it back.
            case awaited(since: Instant)
        }

        var phase = Phase.waiting
        /// When one of its frames was last judged.
        var lastFrame: Instant

        var isWaiting: Bool { if case .waiting = phase { true } else { false } }
    }

    /// When the present batch was taken, and over how long it had gathered.
    private var batch: (taken: Instant, gathering: Duration)?
    /// How long decoding the batch has taken so far.
    private var spent = Duration.zero
    /// Videos with decoded frames in the batch.
    private var candidates: Set<TrackID> = []
    private var leftOut: [TrackID: Absence] = [:]
    private var calm = calmMinimum
    /// Since when it has been calm, with no video left out and no key frame requested.
    private var calmSince: Instant?
    private var lastLeftOut: Instant?
    private var lastReturn: Instant?

    /// The number of videos that are not decoded now.
    var videosLeftOut: Int { leftOut.count }

    /// All input up to an instant is decoded next. A left-out video without frames for as long as a
    /// return takes is forgotten.
    mutating func began(batchTakenAt taken: Instant) {
        batch = (taken, taken - (batch?.taken ?? taken))
        spent = .zero
        candidates.removeAll(keepingCapacity: true)
        if !leftOut.isEmpty { leftOut = leftOut.filter { taken - $0.value.lastFrame <= calm } }
    }

    /// Decoding one frame took this long.
    mutating func decoded(in time: Duration) { spent += time }

    mutating func forget(_ track: TrackID) { leftOut[track] = nil }

    /// Forgets videos that would not be shown even if they were decoded.
    mutating func keep(_ isShown: (TrackID) -> Bool) {
        if !leftOut.isEmpty { leftOut = leftOut.filter { isShown($0.key) } }
    }

    /// How far decoding is behind. A batch that was decoded faster than it gathered only catches up
    /// after the thread was held up.
    private var backlog: Duration { spent > batch?.gathering ?? .zero ? spent : .zero }

    /// - Parameters:
    ///   - isLastResort: whether all other ways to save CPU are exhausted; before that no more
    ///     videos are left out.
    ///   - importance: of a video compared with others; called only when there is a choice to make.
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
        // The requested key frame may have been lost.
        case .awaited(let since):
            return now - since >= calm ? ask(track, at: now) : .leaveOut
        }
    }

    private func isTooMuch(at now: Instant) -> Bool {
        guard backlog < Self.backlogMaximum else { return true }
        return backlog >= Self.backlogHigh
            && lastLeftOut.map { now - $0 >= Self.settling } ?? true
    }

    /// Leaves out the least important of the videos that take the time. Track ids break ties, so
    /// that equal rooms lose the same videos.
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

    /// Whether no other waiting video is more important.
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
