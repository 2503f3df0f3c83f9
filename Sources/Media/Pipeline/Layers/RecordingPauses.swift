import Synchronization

/// The frames of a run that are not to be recorded. Written by the director, read by the layers
/// when they publish a segment: by then the director has made all of the segment's frames.
final class RecordingPauses: Sendable {
    private struct State {
        var over: [Range<Int64>] = []
        /// The first frame of the present pause.
        var since: Int64?
    }

    /// The most pauses that are remembered. Segments are published within seconds, so older pauses
    /// are not needed.
    static let overMaximum = 1000

    private let state: Mutex<State>

    /// - Parameter isPaused: whether recording is paused from the first frame on.
    init(isPaused: Bool) { state = Mutex(State(since: isPaused ? 0 : nil)) }

    /// Does nothing while recording is paused.
    func pause(from frame: Int64) {
        state.withLock { state in
            if state.since == nil { state.since = frame }
        }
    }

    /// - Parameter frame: the first frame that is recorded again.
    func resume(from frame: Int64) {
        state.withLock { state in
            guard let since = state.since else { return }
            state.since = nil
            guard since < frame else { return }
            state.over.append(since..<frame)
            if state.over.count > Self.overMaximum { state.over.removeFirst() }
        }
    }

    /// Whether recording was paused in one of these frames.
    func touch(_ frames: Range<Int64>) -> Bool {
        state.withLock { state in
            state.since.map { $0 < frames.upperBound } ?? false
                || state.over.contains { $0.overlaps(frames) }
        }
    }
}
