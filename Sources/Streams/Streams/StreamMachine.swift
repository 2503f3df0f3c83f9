public import MediaKernel

/// What happens to one live stream: facts in, results out. It knows no process and no clock.
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
/// Invariants: the status never goes back; at most one bot or one finisher is alive; what ended the
/// stream decides between `completed` and `failed`, and is kept over post-processing; after a final
/// status no fact comes to anything any more; each may be repeated without harm.
public struct StreamMachine: Hashable, Sendable {
    enum Bot: Hashable {
        /// Alive, and killed then unless it gets on before: gets ready, publishes another segment, or
        /// says that it is at work.
        case alive(readySince: Instant?, until: Instant)
        /// Sent SIGKILL for hanging: it did not get ready, or published nothing more.
        case killed
        /// Dead; the next one starts then.
        case waiting(until: Instant)
    }

    enum Phase: Hashable {
        case starting(Bot)
        case running(Bot)
        /// - Parameter for: why it was asked to stop.
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
        /// How the stream ended, which is told when its assets are there.
        var end: StreamEnd
        var failures = 0
        /// Since when, and how often in a row, there was no room for the assets.
        var fullSince: Instant?
        var fullCount = 0
        var finisher: Finisher
    }

    enum Finisher: Hashable {
        /// Ordered; others go before it.
        case queued
        case alive(stallsAt: Instant)
        /// Sent SIGKILL for saying nothing.
        case killed
        /// Dead; the next one starts then.
        case waiting(until: Instant)
    }

    let rules: StreamRules
    private let isRecorded: Bool
    var phase: Phase
    private var deaths: [Instant] = []
    /// Bots in a row that were killed for hanging. Counted apart from deaths, since they come too
    /// far apart to be in one window.
    private var hangs = 0
    private var hasLaunched = false
    private var emptySince: Instant?
    /// Since when nothing is published, whoever is there.
    private var idleSince: Instant?
    /// When the stream first ran.
    private var ranSince: Instant?

    /// - Parameters:
    ///   - isRecorded: whether assets are to be made of it.
    ///   - isEmpty: whether nobody is in the room at the start.
    ///   - isIdle: whether nobody publishes anything at the start.
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

    /// A stream that an earlier server left behind: its bot is gone or finishes by itself, and what
    /// it left is finished by the first `timePassed`.
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

    /// When `timePassed` has something to do, unless another fact comes first.
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

    /// The bot says that the first segment of every layer is published.
    ///
    /// - Returns: whether the stream runs from now on.
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

    /// The bot says that it has published a segment, of whichever layer: when one layer hangs,
    /// soon all wait for it.
    public mutating func botPublished(at now: Instant) {
        guard case .running(.alive(let readySince?, _)) = phase else { return }
        phase = .running(.alive(readySince: readySince, until: now + rules.segmentTimeout))
        // Not at the first segment: a bot may hang each time it has begun.
        if now - readySince >= rules.failureWindow { hangs = 0 }
    }

    /// The bot says that it gets on, however slowly: it has not published anything yet for want of CPU,
    /// which its successor would have no more of.
    public mutating func botWorked(at now: Instant) {
        switch phase {
        case .starting(.alive(let readySince, _)), .running(.alive(let readySince, _)):
            let patience = readySince == nil ? rules.readyTimeout : rules.segmentTimeout
            replaceBot(.alive(readySince: readySince, until: now + patience))
        case .starting, .running, .stopping, .postProcessing, .ended: break
        }
    }

    /// - Returns: nil where it goes on, with another bot.
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
            // The bot left of its own accord and in good order, e.g. because the room was ended.
            if case .finished(let reason) = exit { return end(.botLeft(reason), at: now) }
            return died(exit, of: bot, at: now) { .running(.waiting(until: $0)) }
        case .stopping(.killed, let stop):
            // It was slow, or hung: what it had published stands, and its playlists are ended.
            return end(stop, at: now)
        case .stopping(.terminated, let stop) where exit.isTermination:
            // It was too slow to heed the signal that it was sent.
            return end(stop, at: now)
        case .stopping(.asked, let stop), .stopping(.terminated, let stop):
            if case .finished = exit { return end(stop, at: now) }
            return fail(
                exit.failure?.cause ?? .botDied, "the bot died while it finished: \(exit)", at: now)
        }
    }

    /// - Returns: nil where it comes to its end already.
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

    /// What ends a stream by itself, and what is told then. Of two that are over the first counts:
    /// where nobody is, nothing is published either.
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

    /// A dead bot is to be replaced, or one hangs.
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
        // What cannot be started now cannot be started in a second either.
        if case .notStarted(let reason, let failure) = exit {
            return fail(failure?.cause ?? .botNotStarted, reason, at: now)
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
        // Nobody could see anything of it, and it is told as stopped too early.
        if !end.isFailure, ranSince == nil {
            phase = .ended(end.status)
            return .discarded(end)
        }
        // Where no bot ever was, nothing can have been recorded.
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
