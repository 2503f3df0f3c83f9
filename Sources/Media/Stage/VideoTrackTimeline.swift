public import MediaKernel

/// Chooses the frame of one video track that each output tick shows
/// (docs/design/timeline.md, rule 4).
///
/// The newest due frame is shown; the last one is held while nothing new is there, up to a limit,
/// and then the peer's placeholder replaces it. Where the owner knows of signs of life, the limit
/// counts from the last one: senders may send nothing while a picture stands still. A late frame is
/// shown late unless a newer one was shown; a first frame is shown at once and stands still until
/// the next one is due. The output's own frame rate never changes.
///
/// If a source's frames become due together with the ticks, some are due shortly before and some
/// shortly after one, because its timestamps are rounded and its clock is an estimate. That must
/// not repeat one picture and drop another. So a frame is shown up to a fifth of the tick interval
/// early if that continues the rhythm of the frames before it.
public struct VideoTrackTimeline<Frame: Sendable>: Sendable {
    /// The picture for the tile. Returned by `frame(at:)`.
    public enum Choice: Sendable {
        /// A frame that was not shown before.
        case show(Frame)
        /// The same frame as at the previous tick.
        case hold(Frame)
        /// No picture: muted, nothing yet, or nothing for too long.
        case placeholder
    }

    private struct Queued: Sendable {
        let frame: Frame
        let presentation: Instant
        let bytes: Int
    }

    private enum State: Sendable {
        case muted
        case waiting
        case showing(Queued, since: Instant)
    }

    /// The most by which a frame may be shown early, however far apart the ticks are.
    private static var earlinessMaximum: Duration { .milliseconds(10) }

    /// Waiting frames, earliest first. A full queue is thinned out.
    private var queue: [Queued] = []
    private var queuedBytes = 0
    private var state = State.waiting
    private var lastTick: Instant?
    public let framesMaximum: Int
    public let bytesMaximum: Int
    public let holdLimit: Duration
    /// Frames that were never shown: overtaken, too old, or removed from a full queue.
    public private(set) var skippedFrames = 0

    /// - Parameters:
    ///   - framesMaximum: 0.6 s at 60 frames a second holds the longest playout delay.
    ///   - bytesMaximum: of the waiting frames; 64 MiB are 20 of 1080p or 5 of 2160p. One
    ///     may wait however large it is.
    ///   - holdLimit: how long to show a picture that no longer moves, counted from the last sign
    ///     of its sender if there is one.
    public init(
        framesMaximum: Int = 36, bytesMaximum: Int = 64 << 20, holdLimit: Duration = .seconds(3)
    ) {
        precondition(framesMaximum > 0, "a queue holds at least one frame")
        self.framesMaximum = framesMaximum
        self.bytesMaximum = bytesMaximum
        self.holdLimit = holdLimit
    }

    /// Frames that wait for their time.
    public var queuedFrames: Int { queue.count }

    public var isMuted: Bool {
        switch state {
        case .muted: true
        case .waiting, .showing: false
        }
    }

    /// Muting drops every picture at once: a peer with its camera off is not seen until new frames
    /// come.
    public mutating func setMuted(_ muted: Bool) {
        switch (state, muted) {
        case (.muted, true), (.waiting, false), (.showing, false): break
        case (.muted, false): state = .waiting
        case (.waiting, true), (.showing, true):
            state = .muted
            remove(first: queue.count)
        }
    }

    /// Takes a decoded frame with the instant at which it is to be shown. While muted, and when a
    /// newer frame was shown already, the frame is skipped.
    ///
    /// - Parameter bytes: of memory that the frame takes.
    public mutating func insert(_ frame: Frame, at presentation: Instant, bytes: Int) {
        switch state {
        case .muted:
            skippedFrames += 1
            return
        case .showing(let shown, _) where shown.presentation >= presentation:
            skippedFrames += 1
            return
        case .waiting, .showing: break
        }
        // Most frames come in order, so the search starts at the end.
        var index = queue.endIndex
        while index > 0, queue[index - 1].presentation > presentation { index -= 1 }
        queue.insert(Queued(frame: frame, presentation: presentation, bytes: bytes), at: index)
        queuedBytes += bytes
        while queue.count > framesMaximum || (queuedBytes > bytesMaximum && queue.count > 1) {
            thinOut()
        }
    }

    /// Removes the frame that leaves the smallest gap. Never the next one to be shown: where the
    /// playout delay is longer than the queue, each frame would be removed before its turn, and the
    /// picture would stand still for good. Nor the newest, unless there are no others.
    private mutating func thinOut() {
        func gap(without index: Int) -> Duration {
            queue[index + 1].presentation - queue[index - 1].presentation
        }
        let inner = queue.indices.dropFirst().dropLast()
        let leaver = inner.min { gap(without: $0) < gap(without: $1) } ?? queue.count - 1
        queuedBytes -= queue.remove(at: leaver).bytes
        skippedFrames += 1
    }

    private mutating func remove(first count: Int) {
        for frame in queue.prefix(count) { queuedBytes -= frame.bytes }
        queue.removeFirst(count)
    }

    /// The choice for this tick. Ticks never go back.
    ///
    /// - Parameter lastSign: the last sign of the sender, if that is to count; called only for a
    ///   picture that has stood still for too long.
    public mutating func frame(
        at tick: Instant, lastSign: () -> Instant? = { nil }
    ) -> Choice {
        var dueCount = queue.prefix { $0.presentation <= tick }.count
        if dueCount == 0, case .waiting = state { dueCount = min(1, queue.count) }
        if nextIsShown(early: tick, due: dueCount) { dueCount += 1 }
        lastTick = tick
        if dueCount > 0 {
            let chosen = queue[dueCount - 1]
            remove(first: dueCount)
            skippedFrames += dueCount - 1
            guard isWorthShowing(chosen.presentation, at: tick, lastSign) else {
                // No tick came for long, and an old frame does not show the present.
                skippedFrames += 1
                state = .waiting
                return .placeholder
            }
            state = .showing(chosen, since: tick)
            return .show(chosen.frame)
        }
        switch state {
        case .muted, .waiting: return .placeholder
        case .showing(let shown, let since):
            return isWorthShowing(since, at: tick, lastSign) ? .hold(shown.frame) : .placeholder
        }
    }

    /// Whether `frame` would show a picture at this tick.
    public func hasFrame(at tick: Instant, lastSign: () -> Instant? = { nil }) -> Bool {
        let due = queue.last { $0.presentation <= tick }
        switch state {
        case .muted: return false
        case .waiting:
            return due.map { isWorthShowing($0.presentation, at: tick, lastSign) }
                ?? !queue.isEmpty
        case .showing(_, let since):
            return isWorthShowing(due?.presentation ?? since, at: tick, lastSign)
        }
    }

    /// Whether a picture that is this old may be shown.
    private func isWorthShowing(
        _ since: Instant, at tick: Instant, _ lastSign: () -> Instant?
    ) -> Bool {
        tick - since <= holdLimit || lastSign().map { tick - $0 <= holdLimit } ?? false
    }

    /// Whether the first frame that is not yet due fits the last one's rhythm better when shown at
    /// this tick.
    private func nextIsShown(early tick: Instant, due: Int) -> Bool {
        guard due < queue.count, let lastTick, case .showing(let last, let since) = state,
            // A picture that was held until the due one has begun another rhythm.
            due == 0 || since == lastTick
        else { return false }
        let interval = tick - lastTick
        let lateness = tick - queue[due].presentation
        let earliness = min(interval / 5, Self.earlinessMaximum)
        guard lateness >= .zero - earliness else { return false }
        let rhythm = since - last.presentation
        let otherwise =
            due > 0 ? tick - queue[due - 1].presentation : lateness + interval
        return (lateness - rhythm).magnitude < (otherwise - rhythm).magnitude
    }

    /// The last shown frame, for redrawing the tile.
    public var current: Frame? {
        switch state {
        case .muted, .waiting: nil
        case .showing(let shown, _): shown.frame
        }
    }
}
