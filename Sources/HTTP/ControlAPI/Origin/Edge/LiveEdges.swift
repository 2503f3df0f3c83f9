import Clocks
public import Logging
public import MediaKernel
import Synchronization

/// The low-latency streams on air, by their directories.
public final class LiveEdges: LiveEdgeFeed {
    /// The newest parts, segments and playlists of all streams that are kept in memory.
    static let bytesMaximum = 256 * 1024 * 1024

    static let playlistName = "stream.m3u8"

    private struct State {
        var edges: [StreamID: StreamEdge] = [:]
        /// The same, by `<directory>/<layer>`.
        var layers: [String: Place] = [:]
    }

    /// A layer's place.
    struct Place: Sendable {
        let edge: StreamEdge
        let layer: Int
    }

    /// What is served of all streams' files, low-latency or not.
    let recent = RecentFiles(clock: { MonotonicClock.now })
    private let root: String
    private let memory: EdgeMemory
    private let logger: Logger?
    private let clock: @Sendable () -> Instant
    private let state = Mutex(State())

    /// - Parameters:
    ///   - root: of the output.
    ///   - clock: the monotonic one.
    public convenience init(root: String, logger: Logger) {
        self.init(root: root, logger: logger, clock: { MonotonicClock.now })
    }

    init(
        root: String, bytesMaximum: Int = LiveEdges.bytesMaximum, logger: Logger? = nil,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.root = root
        memory = EdgeMemory(maximum: bytesMaximum)
        self.logger = logger
        self.clock = clock
    }

    /// Bytes of parts, segments and playlists in memory.
    var byteCount: Int { memory.byteCount }

    /// - Parameter directory: of a layer, relative to the root.
    func place(_ directory: String) -> Place? { state.withLock { $0.layers[directory] } }

    subscript(stream: StreamID) -> StreamEdge? { state.withLock { $0.edges[stream] } }

    public func began(_ stream: StreamID, _ shape: LiveEdgeShape) {
        let edge = StreamEdge(shape, root: root, memory: memory, logger: logger, clock: clock)
        state.withLock { state in
            // A bot's successor continues; one that was given up begins anew.
            guard state.edges[stream]?.isOver ?? true else { return }
            state.edges[stream] = edge
            for (index, layer) in shape.layers.enumerated() {
                state.layers["\(shape.directory)/\(layer)"] = Place(edge: edge, layer: index)
            }
        }
    }

    public func published(_ part: LivePart, of stream: StreamID) {
        guard let edge = self[stream], edge.shape.layers.indices.contains(part.layer) else {
            return
        }
        edge.published(part)
    }

    public func listed(segment: Int, layer: Int, of stream: StreamID) {
        guard let edge = self[stream], edge.shape.layers.indices.contains(layer) else { return }
        edge.listed(segment: segment, layer: layer)
    }

    public func interrupted(_ stream: StreamID) { self[stream]?.interrupted() }

    public func ended(_ stream: StreamID) {
        let edge = state.withLock { state in
            let edge = state.edges.removeValue(forKey: stream)
            for layer in edge?.shape.layers ?? [] {
                state.layers["\(edge?.shape.directory ?? "")/\(layer)"] = nil
            }
            return edge
        }
        edge?.ended()
    }

    public func removed(_ directory: String) { recent.forget(below: directory) }

    public func timePassed(at now: Instant) {
        for edge in state.withLock({ Array($0.edges.values) }) { edge.timePassed(at: now) }
    }
}
