import Synchronization

/// The frames of a run that are not to be recorded. Written by the director, read by the layers
/// when they publish a segment: by then all of its frames have passed the director.
final class RecordingPauses: Sendable {
    private struct State {
        var over: [Range<Int64>] = []
        /// Where the one begins that goes on.
        var since: Int64?
    }

    /// Pauses that are remembered one by one. Segments are published within seconds, so those
    /// before are done with.
    static let overMaximum = 1000

    private let state: Mutex<State>

    /// - Parameter isPaused: from the first frame on.
    init(isPaused: Bool) { state = Mutex(State(since: isPaused ? 0 : nil)) }

    /// Pausing what is paused changes nothing.
    func pause(from frame: Int64) {
        state.withLock { state in
            if state.since == nil { state.since = frame }
        }
    }

    /// - Parameter frame: the first that is recorded again.
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
