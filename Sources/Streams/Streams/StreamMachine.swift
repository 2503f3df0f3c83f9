public import MediaKernel

/// The life of one live stream: facts in, results out, without processes or clocks.
///
/// ```
///            botRunning             stopRequested             botExited(finished)
///  starting ───────────► running ──────────────────► stopping ─────────────────┐
///     │  ▲ bot restarts    │  ▲ bot restarts             │ bot died            │
///     │  └──┘              │  └──┘                       │ or was killed       │
///     └────────────────────┴─────────────────────────────┤                     │
///        too many deaths or hangs                        ▼                     ▼
///                                           post_processing, where it is recorded
///                                             │  ▲ finisher restarts   │
///                                             │  └──┘                  │ finisherExited(finished)
///        too many of them fail, or a day full ▼                        ▼
///                                           failed            completed | failed
/// ```
///
/// Invariants: the status never goes back; at most one bot or finisher is alive; the stream's first
/// end decides between `completed` and `failed`, also across post-processing; facts after a final
/// status have no effect; each fact may be repeated without harm.
public struct StreamMachine: Hashable, Sendable {
    enum Bot: Hashable {
        /// Alive; killed at `until` unless it first gets ready, publishes another segment, or
        /// reports that it is at work.
        case alive(readySince: Instant?, until: Instant)
        /// Sent SIGKILL for hanging: it did not get ready, or stopped publishing.
        case killed
        /// Dead; the next bot starts at `until`.
        case waiting(until: Instant)
    }

    enum Phase: Hashable {
        case starting(Bot)
        case running(Bot)
        /// - Parameter for: the reason of the stop request.
        case stopping(Stopping, for: StreamEnd)
        case postProcessing(PostProcessing)
        case ended(LiveStream.Status)
    }

    enum Stopping: Hashable {
        case asked(until: Instant)
        case terminated(until: Instant)
        case killed
    }

    struct PostProcessing: Hashable {
        /// How the stream ended; reported once its assets exist.
        var end: StreamEnd
        var failures = 0
        /// Since when, and how many times in a row, the disk lacked space for the assets.
        var fullSince: Instant?
        var fullCount = 0
        var finisher: Finisher
    }

    enum Finisher: Hashable {
        /// Ordered, but others come first.
        case queued
        case alive(stallsAt: Instant)
        /// Sent SIGKILL for silence.
        case killed
        /// Dead; the next finisher starts at `until`.
        case waiting(until: Instant)
    }

    let rules: StreamRules
    private let isRecorded: Bool
    var phase: Phase
    private var deaths: [Instant] = []
    /// The number of bots in a row that were killed for hanging. They are counted apart from
    /// deaths, since they are too far apart to fall in one window.
    private var hangs = 0
    private var hasLaunched = false
    private var emptySince: Instant?
    /// Since when nobody publishes, whoever is in the room.
    private var idleSince: Instant?
    /// When the stream first ran.
    private var ranSince: Instant?

    /// - Parameters:
    ///   - isRecorded: whether to make assets.
    ///   - isEmpty: whether the room is empty at the start.
    ///   - isIdle: whether nobody publishes at the start.
    public init(
        rules: StreamRules, isRecorded: Bool = false, isEmpty: Bool, isIdle: Bool = false,
        at now: Instant
    ) {
        self.rules = rules
        self.isRecorded = isRecorded
        phase = .starting(.waiting(until: now))
        emptySince = isEmpty ? now : nil
        idleSince = isIdle ? now : nil
    }

    /// A stream that an earlier server left behind. Its bot is gone or finishes by itself; the
    /// first `timePassed` starts a finisher.
    public init(rules: StreamRules, leftBehind end: StreamEnd, at now: Instant) {
        self.rules = rules
        isRecorded = true
        phase = .postProcessing(
            PostProcessing(end: end, finisher: .waiting(until: now)))
    }

    public var status: LiveStream.Status {
        switch phase {
        case .starting: .starting
        case .running: .running
        case .stopping: .stopping
        case .postProcessing: .postProcessing
        case .ended(let status): status
        }
    }

    /// When `timePassed` is due, unless another fact comes first.
    public var nextDeadline: Instant? {
        switch phase {
        case .starting(let bot), .running(let bot):
            return ([Self.deadline(of: bot)] + limits.map(\.deadline)).compactMap { $0 }.min()
        case .stopping(.asked(let until), _), .stopping(.terminated(let until), _): return until
        case .postProcessing(let work):
            switch work.finisher {
            case .alive(let deadline), .waiting(let deadline): return deadline
            case .queued, .killed: return nil
            }
        case .stopping(.killed, _), .ended: return nil
        }
    }

    /// The bot reports that the first segment of every layer is published.
    ///
    /// - Returns: whether the stream begins to run now.
    public mutating func botRunning(at now: Instant) -> Bool {
        switch phase {
        case .starting(.alive):
            phase = .running(.alive(readySince: now, until: now + rules.segmentTimeout))
            ranSince = now
            return true
        case .running(.alive(let readySince, _)):
            phase = .running(
                .alive(readySince: readySince ?? now, until: now + rules.segmentTimeout))
            return false
        case .starting, .running, .stopping, .postProcessing, .ended:
            return false
        }
    }

    /// The bot reports that it has published a segment of any layer: if one layer hangs, soon all
    /// wait for it.
    public mutating func botPublished(at now: Instant) {
        guard case .running(.alive(let readySince?, _)) = phase else { return }
        phase = .running(.alive(readySince: readySince, until: now + rules.segmentTimeout))
        // Not at the first segment, since each new bot may hang soon after its start.
        if now - readySince >= rules.failureWindow { hangs = 0 }
    }

    /// The bot reports progress, however slow. It has published nothing yet for lack of CPU, and a
    /// replacement would have no more of it.
    public mutating func botWorked(at now: Instant) {
        switch phase {
        case .starting(.alive(let readySince, _)), .running(.alive(let readySince, _)):
            let patience = readySince == nil ? rules.readyTimeout : rules.segmentTimeout
            replaceBot(.alive(readySince: readySince, until: now + patience))
        case .starting, .running, .stopping, .postProcessing, .ended: break
        }
    }

    /// - Returns: nil if the stream goes on with another bot.
    public mutating func botExited(_ exit: BotExit, at now: Instant) -> Ending? {
        switch phase {
        case .starting(.waiting), .running(.waiting), .postProcessing, .ended:
            return nil
        case .starting(let bot):
            if case .finished(let reason) = exit {
                return fail(
                    .botLeftEarly, "the bot left before the stream ran: \(reason)", at: now)
            }
            return died(exit, of: bot, at: now) { .starting(.waiting(until: $0)) }
        case .running(let bot):
            // The bot exited by itself in good order, e.g. because the room was ended.
            if case .finished(let reason) = exit { return end(.botLeft(reason), at: now) }
            return died(exit, of: bot, at: now) { .running(.waiting(until: $0)) }
        case .stopping(.killed, let stop):
            // The bot was slow or hung: its published segments stay, and its playlists get their
            // end.
            return end(stop, at: now)
        case .stopping(.terminated, let stop) where exit.isTermination:
            // The bot was too slow to handle the signal.
            return end(stop, at: now)
        case .stopping(.asked, let stop), .stopping(.terminated, let stop):
            if case .finished = exit { return end(stop, at: now) }
            return fail(
                exit.failure?.cause ?? .botDied, "the bot died while it finished: \(exit)", at: now)
        }
    }

    /// - Returns: nil if the stream is already ending.
    public mutating func stopRequested(_ reason: StreamEnd, at now: Instant) -> Stop? {
        switch phase {
        case .starting(let bot), .running(let bot):
            switch bot {
            case .waiting:
                return .ended(end(reason, at: now))
            case .alive:
                phase = .stopping(.asked(until: now + rules.stopTimeout), for: reason)
                return .stopping(reason, asksBot: true)
            case .killed:
                phase = .stopping(.killed, for: reason)
                return .stopping(reason, asksBot: false)
            }
        case .stopping, .postProcessing, .ended:
            return nil
        }
    }

    public mutating func roomEmptied(at now: Instant) {
        if emptySince == nil { emptySince = now }
    }

    public mutating func roomOccupied() { emptySince = nil }

    public mutating func publishingEnded(at now: Instant) {
        if idleSince == nil { idleSince = now }
    }

    public mutating func publishingBegan() { idleSince = nil }

    /// The limits that end a stream by themselves, and the end that each one means. The first
    /// expired one counts: in an empty room nothing is published either.
    private var limits: [(deadline: Instant?, end: StreamEnd)] {
        func deadline(_ since: Instant?, _ limit: Duration?) -> Instant? {
            since.flatMap { since in limit.map { since + $0 } }
        }
        return [
            (deadline(emptySince, rules.emptyTimeout), .lastPeerLeft),
            (deadline(idleSince, rules.idleTimeout), .nothingPublished),
            (deadline(ranSince, rules.durationMaximum), .durationReached),
        ]
    }

    public mutating func timePassed(at now: Instant) -> Due? {
        switch phase {
        case .starting(let bot), .running(let bot):
            if let over = limits.first(where: { $0.deadline.map { $0 <= now } ?? false }) {
                return stopRequested(over.end, at: now).map(Due.stop)
            }
            guard let deadline = Self.deadline(of: bot), deadline <= now else { return nil }
            return botDue(bot, at: now)
        case .stopping(.asked(let until), let stop) where until <= now:
            phase = .stopping(.terminated(until: now + rules.terminateTimeout), for: stop)
            return .terminate
        case .stopping(.terminated(let until), let stop) where until <= now:
            phase = .stopping(.killed, for: stop)
            return .kill(for: .notFinished)
        case .postProcessing(let work):
            return finisherDue(work, at: now)
        case .stopping, .ended:
            return nil
        }
    }

    /// Replaces a dead bot, or kills one that hangs.
    private mutating func botDue(_ bot: Bot, at now: Instant) -> Due? {
        switch bot {
        case .waiting:
            let resumes = hasLaunched
            hasLaunched = true
            replaceBot(.alive(readySince: nil, until: now + rules.readyTimeout))
            return .launch(resumes: resumes)
        case .alive(let readySince, _):
            replaceBot(.killed)
            return .kill(for: readySince == nil ? .notReady : .stoodStill)
        case .killed:
            return nil
        }
    }

    private mutating func replaceBot(_ bot: Bot) {
        switch phase {
        case .starting: phase = .starting(bot)
        case .running: phase = .running(bot)
        case .stopping, .postProcessing, .ended: break
        }
    }

    private mutating func died(
        _ exit: BotExit, of bot: Bot, at now: Instant, next: (Instant) -> Phase
    ) -> Ending? {
        // If a bot cannot be started now, it cannot be started in a second either.
        if case .notStarted(let reason, let failure) = exit {
            return fail(failure?.cause ?? .botNotStarted, reason, at: now)
        }
        if case .failed(let reason, let failure?, _) = exit, failure.isFinal {
            return fail(failure.cause, reason, at: now)
        }
        if bot == .killed {
            hangs += 1
        } else {
            deaths = deaths.filter { $0 + rules.failureWindow > now } + [now]
        }
        guard hangs < rules.hangsMaximum else {
            return fail(
                .botStoodStill, "the bot did not get ready, or stood still, \(hangs) times",
                at: now)
        }
        guard deaths.count <= rules.restartsMaximum else {
            return fail(
                exit.failure?.cause ?? .botDied,
                "the bot died \(deaths.count) times, at last: \(exit)", at: now)
        }
        phase = next(now + rules.restartDelay)
        return nil
    }

    private mutating func fail(
        _ cause: StreamFailure.Cause, _ words: String, at now: Instant
    ) -> Ending {
        end(.failed(StreamFailure(cause, words)), at: now)
    }

    private mutating func end(_ end: StreamEnd, at now: Instant) -> Ending {
        // The stream never ran: nobody could see any of it, and it counts as stopped too early.
        if !end.isFailure, ranSince == nil {
            phase = .ended(end.status)
            return .discarded(end)
        }
        // Without a bot nothing can have been recorded.
        guard isRecorded, hasLaunched else {
            phase = .ended(end.status)
            return .ended(end)
        }
        phase = .postProcessing(PostProcessing(end: end, finisher: .queued))
        return .postProcessing(end)
    }

    private static func deadline(of bot: Bot) -> Instant? {
        switch bot {
        case .alive(_, let until), .waiting(let until): until
        case .killed: nil
        }
    }
}
