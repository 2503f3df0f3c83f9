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
/// videos are left out one by one, come back one by one, and a return that does not hold doubles
/// the calm that the next one needs.
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

    private enum Absence: Sendable {
        case waiting
        /// Its turn has come, and a key frame was asked for then.
        case awaited(since: Instant)
    }

    /// When the batch that is being decoded was taken, and how long it took to come.
    private var batch: (taken: Instant, gathering: Duration)?
    /// How long decoding the batch has taken so far.
    private var spent = Duration.zero
    private var leftOut: [TrackID: Absence] = [:]
    private var calm = calmMinimum
    /// From when on it has been calm, and nothing has been left out or asked for.
    private var calmSince: Instant?
    private var lastLeftOut: Instant?
    private var lastReturn: Instant?

    /// Videos that are not decoded now.
    var videosLeftOut: Int { leftOut.count }

    /// All that has come until an instant is decoded next.
    mutating func began(batchTakenAt taken: Instant) {
        batch = (taken, taken - (batch?.taken ?? taken))
        spent = .zero
    }

    /// Decoding one frame has taken so long.
    mutating func decoded(in time: Duration) { spent += time }

    mutating func forget(_ track: TrackID) { leftOut[track] = nil }

    /// By how much decoding is behind. What was decoded faster than it came only makes up for a
    /// time in which the thread was held up.
    private var backlog: Duration { spent > batch?.gathering ?? .zero ? spent : .zero }

    /// - Parameter isLastResort: whether all else that could be done for want of CPU has been done;
    ///   until then no more videos are left out.
    mutating func judge(
        _ track: TrackID, isKeyframe: Bool, isLastResort: Bool, at now: Instant
    ) -> Verdict {
        if backlog > Self.backlogLow { calmSince = now }
        if let lastReturn, now - lastReturn >= Self.holding {
            self.lastReturn = nil
            calm = Self.calmMinimum
        }
        switch leftOut[track] {
        case nil:
            guard isLastResort, isTooMuch(at: now) else { return .decode }
            leaveOut(track, at: now)
            return .leaveOut
        case .waiting?: return isCalm(at: now) ? ask(track, at: now) : .leaveOut
        case .awaited? where isKeyframe:
            leftOut[track] = nil
            return .decode
        // What was asked for may have been lost.
        case .awaited(let since)?:
            return now - since >= calm ? ask(track, at: now) : .leaveOut
        }
    }

    private func isTooMuch(at now: Instant) -> Bool {
        guard backlog < Self.backlogMaximum else { return true }
        return backlog >= Self.backlogHigh
            && lastLeftOut.map { now - $0 >= Self.settling } ?? true
    }

    private mutating func leaveOut(_ track: TrackID, at now: Instant) {
        if lastReturn != nil {
            lastReturn = nil
            calm = min(calm * 2, Self.calmMaximum)
        }
        lastLeftOut = now
        leftOut[track] = .waiting
    }

    private mutating func isCalm(at now: Instant) -> Bool {
        let since = calmSince ?? now
        calmSince = since
        return now - since >= calm
    }

    private mutating func ask(_ track: TrackID, at now: Instant) -> Verdict {
        leftOut[track] = .awaited(since: now)
        calmSince = now
        lastReturn = now
        return .leaveOutAndAsk
    }
}
