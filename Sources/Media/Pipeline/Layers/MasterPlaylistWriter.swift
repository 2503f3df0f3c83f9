import Clocks
import HLS
import MediaKernel
import Recording
import Synchronization

/// Records what all layers of a stream have written, and writes the master playlist once the first
/// segment of each layer can be fetched. Called from the layers' threads.
final class MasterPlaylistWriter: Sendable {
    private struct State {
        /// Of each container, the layers that have begun.
        var begun: [ContainerFiles: Set<Int>] = [:]
        /// Layers that have worked since work was last reported.
        var atWork: Set<Int> = []
        var workToldAt: Instant?
        /// Segments of the top layer, over all runs. 0 until it has ended.
        var segments = 0
        var failure: PipelineFailure?
        var masters: [ContainerFiles: String] = [:]
    }

    /// The shortest time between two reports of work.
    static let workInterval: Duration = .seconds(5)

    private let state = Mutex(State())
    private let layers: Int
    private let directory: String
    private let now: @Sendable () -> Instant
    private let emit: @Sendable (PipelineEvent) -> Void

    init(
        layers: Int, directory: String,
        now: @escaping @Sendable () -> Instant = { MonotonicClock.now },
        emit: @escaping @Sendable (PipelineEvent) -> Void
    ) {
        self.layers = layers
        self.directory = directory
        self.now = now
        self.emit = emit
    }

    /// The master playlist to write when every layer of a container has begun. Call before any
    /// layer runs.
    ///
    /// - Parameter isRecorded: whether the playlist is also stored now for the recording, so that a
    ///   bot's death before its publication does not lose it.
    func announce(
        _ master: MasterPlaylist, of files: ContainerFiles = .transportStream, isRecorded: Bool
    ) throws(PipelineError) {
        let text = master.rendered()
        state.withLock { $0.masters[files] = text }
        guard isRecorded, !files.isBeside else { return }
        try AtomicFile.write(text, to: StreamFolder.preparedMasterName, in: directory)
    }

    func published(
        layer: Int, segment: Int, bytes: Int, in files: ContainerFiles = .transportStream
    ) {
        let master: String? = state.withLock { state in
            guard state.begun[files, default: []].insert(layer).inserted,
                state.begun[files]?.count == layers
            else { return nil }
            return state.masters[files]
        }
        if let master {
            do throws(PipelineError) {
                try AtomicFile.write(master, to: files.masterName, in: directory)
                if !files.isBeside { emit(.running) }
            } catch {
                failed(PipelineFailure(error, in: "the master playlist"))
            }
        }
        if !files.isBeside { emit(.segmentPublished(layer: layer, index: segment, bytes: bytes)) }
    }

    func published(_ part: SegmentPart) { emit(.partPublished(part)) }

    /// The playlist of a layer's fragments, which have parts, lists a segment.
    func listed(layer: Int, segment: Int) { emit(.segmentListed(layer: layer, segment: segment)) }

    /// A layer has processed a picture or a stretch of sound. While all layers report work from
    /// time to time, they may be slow, but none hangs.
    func worked(layer: Int) {
        let now = now()
        let isTold = state.withLock { state in
            state.atWork.insert(layer)
            guard state.atWork.count == layers,
                state.workToldAt.map({ now - $0 >= Self.workInterval }) ?? true
            else { return false }
            (state.atWork, state.workToldAt) = ([], now)
            return true
        }
        if isTold { emit(.atWork) }
    }

    /// Pictures per second in the layer's newest segment; the top layer's is told.
    func measured(frameRate: Double, layer: Int, in files: ContainerFiles) {
        if layer == 0, !files.isBeside { emit(.frameRateMeasured(frameRate)) }
    }

    func ended(layer: Int, segments: Int, in files: ContainerFiles = .transportStream) {
        if layer == 0, !files.isBeside { state.withLock { $0.segments = segments } }
    }

    /// Only the first failure is reported; the others follow from it.
    func failed(_ failure: PipelineFailure) {
        let isFirst = state.withLock { state in
            defer { state.failure = state.failure ?? failure }
            return state.failure == nil
        }
        if isFirst { emit(.failed(failure)) }
    }

    var failure: PipelineFailure? { state.withLock { $0.failure } }
    /// Segments of the top layer, over all runs. 0 until it has ended.
    var segments: Int { state.withLock { $0.segments } }
}
