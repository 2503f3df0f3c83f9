import Synchronization

/// Caches compressed playlists, so that a thousand viewers of the same version cost one
/// compression. When it is full, the oldest is dropped.
final class PlaylistCache: Sendable {
    /// A stream has at most six playlists; this covers twenty streams.
    static let entriesMaximum = 128
    static let bytesMaximum = 16 * 1024 * 1024

    private struct State {
        var bodies: [String: [UInt8]] = [:]
        var order: [String] = []
        var bytes = 0
        /// Compressions in progress.
        var tasks: [String: Task<[UInt8]?, Never>] = [:]
    }

    private enum Found {
        case body([UInt8])
        case task(Task<[UInt8]?, Never>)
    }

    private let state = Mutex(State())

    /// Callers wait for a compression in progress.
    ///
    /// - Parameters:
    ///   - tag: the entity tag of the plain form, which changes with the content.
    ///   - make: returns nil when it fails; failures are not cached.
    func body(tag: String, make: @escaping @Sendable () async -> [UInt8]?) async -> [UInt8]? {
        let found = state.withLock { state -> Found in
            if let body = state.bodies[tag] { return .body(body) }
            if let task = state.tasks[tag] { return .task(task) }
            let task = Task {
                let body = await make()
                keep(body, tag)
                return body
            }
            state.tasks[tag] = task
            return .task(task)
        }
        switch found {
        case .body(let body): return body
        case .task(let task): return await task.value
        }
    }

    private func keep(_ body: [UInt8]?, _ tag: String) {
        state.withLock { state in
            state.tasks[tag] = nil
            guard let body, body.count <= Self.bytesMaximum else { return }
            guard state.bodies.updateValue(body, forKey: tag) == nil else { return }
            state.order.append(tag)
            state.bytes += body.count
            while state.order.count > Self.entriesMaximum || state.bytes > Self.bytesMaximum {
                let oldest = state.order.removeFirst()
                state.bytes -= state.bodies.removeValue(forKey: oldest)?.count ?? 0
            }
        }
    }
}
