public import MediaKernel

/// What happens to one live stream: facts in, orders out. It knows no process and no clock.
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
/// status no order is given any more; each fact may be repeated without harm.
public struct StreamMachine: Hashable, Sendable {
    /// Orders returned by every transition, to be carried out in this sequence.
    public enum Order: Hashable, Sendable {
        /// - Parameter resumes: a bot has written into the output directory before.
        case launch(resumes: Bool)
        case askToStop
        case terminate
        /// - Parameter for: for what, as its death's cause.
        case kill(for: ProcessDeath.Cause)
        /// Whatever the last bot left open is to get its ENDLIST.
        case finishPlaylists
        /// Remove what the bots of a stream that never ran have written.
        case discard
        /// Start a finisher when it is its turn; `finisherStarted` says so.
        case finish
        case killFinisher
        /// Tell the room and the record.
        case changed(LiveStream.Status, StreamEnd?)
    }

    private enum Bot: Hashable {
        /// Alive, and killed then unless it gets on before: gets ready, publishes another segment, or
        /// says that it is at work.
        case alive(readySince: Instant?, until: Instant)
        /// Sent SIGKILL for hanging: it did not get ready, or published nothing more.
        case killed
        /// Dead; the next one starts then.
        case waiting(until: Instant)
    }

    private enum Phase: Hashable {
        case starting(Bot)
        case running(Bot)
        case stopping(Stopping)
        case postProcessing(PostProcessing)
        case ended(LiveStream.Status)
    }

    private enum Stopping: Hashable {
        case asked(until: Instant)
        case terminated(until: Instant)
        case killed
    }

    private struct PostProcessing: Hashable {
        /// How the stream ended, which is told when its assets are there.
        var end: StreamEnd
        var failures = 0
        /// Since when, and how often in a row, there was no room for the assets.
        var fullSince: Instant?
        var fullCount = 0
        var finisher: Finisher
    }

    private enum Finisher: Hashable {
        /// Ordered; others go before it.
        case queued
        case alive(stallsAt: Instant)
        /// Sent SIGKILL for saying nothing.
        case killed
        /// Dead; the next one starts then.
        case waiting(until: Instant)
    }

    private let rules: StreamRules
    private let isRecorded: Bool
    private var phase: Phase
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
    /// Why it was asked to stop.
    private var stop = StreamEnd.stopped

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

    /// Whether its assets wait for room on a disk.
    public var waitsForRoom: Bool {
        guard case .postProcessing(let work) = phase, case .waiting = work.finisher else {
            return false
        }
        return work.fullSince != nil
    }

    /// When `timePassed` has something to do, unless another fact comes first.
    public var nextDeadline: Instant? {
        switch phase {
        case .starting(let bot), .running(let bot):
            return ([Self.deadline(of: bot)] + limits.map(\.deadline)).compactMap { $0 }.min()
        case .stopping(.asked(let until)), .stopping(.terminated(let until)): return until
        case .postProcessing(let work):
            switch work.finisher {
            case .alive(let deadline), .waiting(let deadline): return deadline
            case .queued, .killed: return nil
            }
        case .stopping(.killed), .ended: return nil
        }
    }

    /// The bot says that the first segment of every layer is published.
    public mutating func botRunning(at now: Instant) -> [Order] {
        switch phase {
        case .starting(.alive):
            phase = .running(.alive(readySince: now, until: now + rules.segmentTimeout))
            ranSince = now
            return [.changed(.running, nil)]
        case .running(.alive(let readySince, _)):
            phase = .running(
                .alive(readySince: readySince ?? now, until: now + rules.segmentTimeout))
            return []
        case .starting, .running, .stopping, .postProcessing, .ended:
            return []
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

    public mutating func botExited(_ exit: BotExit, at now: Instant) -> [Order] {
        switch phase {
        case .starting(.waiting), .running(.waiting), .postProcessing, .ended:
            return []
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
        case .stopping(.killed):
            // It was slow, or hung: what it had published stands, and its playlists are ended.
            return end(stop, at: now)
        case .stopping(.terminated) where exit.isTermination:
            // It was too slow to heed the signal that it was sent.
            return end(stop, at: now)
        case .stopping(.asked), .stopping(.terminated):
            if case .finished = exit { return end(stop, at: now) }
            return fail(
                exit.failure?.cause ?? .botDied, "the bot died while it finished: \(exit)", at: now)
        }
    }

    public mutating func stopRequested(_ reason: StreamEnd, at now: Instant) -> [Order] {
        switch phase {
        case .starting(let bot), .running(let bot):
            stop = reason
            switch bot {
            case .waiting:
                return end(reason, at: now)
            case .alive:
                phase = .stopping(.asked(until: now + rules.stopTimeout))
                return [.askToStop, .changed(.stopping, reason)]
            case .killed:
                phase = .stopping(.killed)
                return [.changed(.stopping, reason)]
            }
        case .stopping, .postProcessing, .ended:
            return []
        }
    }

    /// The finisher that was ordered is at work: from now on it may not be silent for too long.
    public mutating func finisherStarted(at now: Instant) {
        guard case .postProcessing(var work) = phase, case .queued = work.finisher else { return }
        work.finisher = .alive(stallsAt: now + rules.finishStallTimeout)
        phase = .postProcessing(work)
    }

    /// The finisher says how far it is.
    public mutating func finisherProgressed(at now: Instant) {
        guard case .postProcessing(var work) = phase, case .alive = work.finisher else { return }
        work.finisher = .alive(stallsAt: now + rules.finishStallTimeout)
        phase = .postProcessing(work)
    }

    public mutating func finisherExited(_ exit: FinisherExit, at now: Instant) -> [Order] {
        guard case .postProcessing(var work) = phase else { return [] }
        switch work.finisher {
        case .queued, .waiting: return []
        case .alive, .killed: break
        }
        switch exit {
        case .finished:
            phase = .ended(work.end.status)
            return [.changed(work.end.status, work.end)]
        case .failed(let reason, _):
            work.failures += 1
            (work.fullSince, work.fullCount) = (nil, 0)
            guard work.failures < rules.finishAttemptsMaximum else {
                return giveUp(work, .assetsNotMade, reason)
            }
            let delay = rules.finishRetryDelay * (1 << (work.failures - 1))
            work.finisher = .waiting(until: now + delay)
        case .noRoom(let reason):
            let since = work.fullSince ?? now
            guard now < since + rules.roomPatience else {
                return giveUp(work, .noRoomForAssets, reason)
            }
            let delay = rules.finishRetryDelay * (1 << min(work.fullCount, 20))
            (work.fullSince, work.fullCount) = (since, work.fullCount + 1)
            work.finisher = .waiting(until: now + min(delay, rules.roomRetryDelayMaximum))
        }
        phase = .postProcessing(work)
        return []
    }

    private mutating func giveUp(
        _ work: PostProcessing, _ cause: StreamFailure.Cause, _ reason: String
    ) -> [Order] {
        phase = .ended(.failed)
        // What made the stream itself fail came first.
        guard !work.end.isFailure else { return [.changed(.failed, work.end)] }
        let failure = StreamFailure(cause, "the assets cannot be made: \(reason)")
        return [.changed(.failed, .failed(failure))]
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

    public mutating func timePassed(at now: Instant) -> [Order] {
        switch phase {
        case .starting(let bot), .running(let bot):
            if let over = limits.first(where: { $0.deadline.map { $0 <= now } ?? false }) {
                return stopRequested(over.end, at: now)
            }
            guard let deadline = Self.deadline(of: bot), deadline <= now else { return [] }
            return botDue(bot, at: now)
        case .stopping(.asked(let until)) where until <= now:
            phase = .stopping(.terminated(until: now + rules.terminateTimeout))
            return [.terminate]
        case .stopping(.terminated(let until)) where until <= now:
            phase = .stopping(.killed)
            return [.kill(for: .notFinished)]
        case .postProcessing(let work):
            return finisherDue(work, at: now)
        case .stopping, .ended:
            return []
        }
    }

    /// A finisher is to be started, or one has said nothing for too long.
    private mutating func finisherDue(_ work: PostProcessing, at now: Instant) -> [Order] {
        var work = work
        switch work.finisher {
        case .waiting(let until) where until <= now:
            work.finisher = .queued
            phase = .postProcessing(work)
            return [.finish]
        case .alive(let deadline) where deadline <= now:
            work.finisher = .killed
            phase = .postProcessing(work)
            return [.killFinisher]
        case .queued, .waiting, .alive, .killed:
            return []
        }
    }

    /// A dead bot is to be replaced, or one hangs.
    private mutating func botDue(_ bot: Bot, at now: Instant) -> [Order] {
        switch bot {
        case .waiting:
            let resumes = hasLaunched
            hasLaunched = true
            replaceBot(.alive(readySince: nil, until: now + rules.readyTimeout))
            return [.launch(resumes: resumes)]
        case .alive(let readySince, _):
            replaceBot(.killed)
            return [.kill(for: readySince == nil ? .notReady : .stoodStill)]
        case .killed:
            return []
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
    ) -> [Order] {
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
        return []
    }

    private mutating func fail(
        _ cause: StreamFailure.Cause, _ words: String, at now: Instant
    ) -> [Order] {
        end(.failed(StreamFailure(cause, words)), at: now)
    }

    private mutating func end(_ end: StreamEnd, at now: Instant) -> [Order] {
        // Nobody could see anything of it, and it is told as stopped too early.
        if !end.isFailure, ranSince == nil {
            phase = .ended(end.status)
            return [.discard, .changed(end.status, end)]
        }
        // Where no bot ever was, nothing can have been recorded.
        guard isRecorded, hasLaunched else {
            phase = .ended(end.status)
            return [.finishPlaylists, .changed(end.status, end)]
        }
        phase = .postProcessing(PostProcessing(end: end, finisher: .queued))
        return [.finishPlaylists, .changed(.postProcessing, end), .finish]
    }

    private static func deadline(of bot: Bot) -> Instant? {
        switch bot {
        case .alive(_, let until), .waiting(let until): until
        case .killed: nil
        }
    }
}
