import Synchronization

/// Remembers the compressed form of playlists, so that a thousand viewers who ask for the same
/// version cost one compression. The oldest goes first when it is full.
final class PlaylistCache: Sendable {
    /// A stream has at most six playlists; this covers twenty streams.
    static let entriesMaximum = 128
    static let bytesMaximum = 16 * 1024 * 1024

    private struct State {
        var bodies: [String: [UInt8]] = [:]
        var order: [String] = []
        var bytes = 0
    }

    private let state = Mutex(State())

    /// - Parameter tag: the entity tag of the plain form, which changes with the content.
    func body(tag: String, make: () -> [UInt8]) -> [UInt8] {
        if let known = state.withLock({ $0.bodies[tag] }) { return known }
        let body = make()
        guard body.count <= Self.bytesMaximum else { return body }
        state.withLock { state in
            guard state.bodies.updateValue(body, forKey: tag) == nil else { return }
            state.order.append(tag)
            state.bytes += body.count
            while state.order.count > Self.entriesMaximum || state.bytes > Self.bytesMaximum {
                let oldest = state.order.removeFirst()
                state.bytes -= state.bodies.removeValue(forKey: oldest)?.count ?? 0
            }
        }
        return body
    }
}
