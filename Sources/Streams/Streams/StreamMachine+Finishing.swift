public import MediaKernel

/// The finishers: the last phase in the life of a recorded stream.
extension StreamMachine {
    /// Whether the assets wait for free disk space.
    public var waitsForRoom: Bool {
        guard case .postProcessing(let work) = phase, case .waiting = work.finisher else {
            return false
        }
        return work.fullSince != nil
    }

    /// The ordered finisher has started: from now on it must report in time.
    public mutating func finisherStarted(at now: Instant) {
        guard case .postProcessing(var work) = phase, case .queued = work.finisher else { return }
        work.finisher = .alive(stallsAt: now + rules.finishStallTimeout)
        phase = .postProcessing(work)
    }

    /// The finisher has reported progress.
    public mutating func finisherProgressed(at now: Instant) {
        guard case .postProcessing(var work) = phase, case .alive = work.finisher else { return }
        work.finisher = .alive(stallsAt: now + rules.finishStallTimeout)
        phase = .postProcessing(work)
    }

    /// - Returns: how the stream ended; nil if another finisher will try.
    public mutating func finisherExited(_ exit: FinisherExit, at now: Instant) -> StreamEnd? {
        guard case .postProcessing(var work) = phase else { return nil }
        switch work.finisher {
        case .queued, .waiting: return nil
        case .alive, .killed: break
        }
        switch exit {
        case .finished:
            phase = .ended(work.end.status)
            return work.end
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
        return nil
    }

    private mutating func giveUp(
        _ work: PostProcessing, _ cause: StreamFailure.Cause, _ reason: String
    ) -> StreamEnd {
        phase = .ended(.failed)
        // The stream's own failure came first.
        guard !work.end.isFailure else { return work.end }
        return .failed(StreamFailure(cause, "the assets cannot be made: \(reason)"))
    }

    /// Starts a finisher, or kills one that has been silent for too long.
    mutating func finisherDue(_ work: PostProcessing, at now: Instant) -> Due? {
        var work = work
        switch work.finisher {
        case .waiting(let until) where until <= now:
            work.finisher = .queued
            phase = .postProcessing(work)
            return .finish
        case .alive(let deadline) where deadline <= now:
            work.finisher = .killed
            phase = .postProcessing(work)
            return .killFinisher
        case .queued, .waiting, .alive, .killed:
            return nil
        }
    }
}
