import HLS
import Recording
import Synchronization

/// What all layers of a stream have written, and the master playlist, which appears when the
/// first segment of each of them can be fetched. Called from the layers' threads.
final class StreamLedger: Sendable {
    private struct State {
        var published: [Int]
        /// Of the top layer, over all runs. 0 until it has ended.
        var segments = 0
        var isRunning = false
        var failure: String?
        var master: String?
    }

    private let state: Mutex<State>
    private let directory: String
    private let emit: @Sendable (PipelineEvent) -> Void

    init(layers: Int, directory: String, emit: @escaping @Sendable (PipelineEvent) -> Void) {
        state = Mutex(State(published: Array(repeating: 0, count: layers)))
        self.directory = directory
        self.emit = emit
    }

    /// What to write when every layer has begun. Call before any layer runs.
    ///
    /// - Parameter isRecorded: whether it is kept for the recording from now on, which a bot's
    ///   death before its publication must not cost.
    func announce(_ master: MasterPlaylist, isRecorded: Bool) throws(PipelineError) {
        let text = master.rendered()
        state.withLock { $0.master = text }
        guard isRecorded else { return }
        try AtomicFile.write(text, to: StreamFolder.preparedMasterName, in: directory)
    }

    func published(layer: Int, segment: Int, bytes: Int) {
        let master: String? = state.withLock { state in
            state.published[layer] += 1
            guard !state.isRunning, state.published.allSatisfy({ $0 > 0 }) else { return nil }
            state.isRunning = true
            return state.master
        }
        if let master {
            do throws(PipelineError) {
                try AtomicFile.write(master, to: StreamFolder.masterName, in: directory)
                emit(.running)
            } catch {
                failed(error.description)
            }
        }
        emit(.segmentPublished(layer: layer, index: segment, bytes: bytes))
    }

    /// Pictures a second that the top layer's newest segment has.
    func measured(frameRate: Double) { emit(.frameRateMeasured(frameRate)) }

    func ended(layer: Int, segments: Int) {
        if layer == 0 { state.withLock { $0.segments = segments } }
    }

    /// The first failure is told; the others follow from it.
    func failed(_ reason: String) {
        let isFirst = state.withLock { state in
            defer { state.failure = state.failure ?? reason }
            return state.failure == nil
        }
        if isFirst { emit(.failed(reason)) }
    }

    var failure: String? { state.withLock { $0.failure } }
    /// Segments of the top layer, over all runs. 0 until it has ended.
    var segments: Int { state.withLock { $0.segments } }
}
