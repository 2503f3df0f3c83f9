import MediaKernel
import Synchronization

/// The streams whose files somebody on this machine still needs: they are not removed, even if an
/// object store has them or their time is over.
final class AssetHolds: Sendable {
    private struct State {
        var streams: Set<StreamID> = []
        /// Whether it is not known yet what an earlier program has left.
        var isOpen = false
    }

    private let state = Mutex(State())

    /// Holds everything until `settle`.
    func open() { state.withLock { $0.isOpen = true } }

    /// From now on only those are held that have been named.
    func settle() { state.withLock { $0.isOpen = false } }

    func hold(_ stream: StreamID) { state.withLock { _ = $0.streams.insert(stream) } }

    func release(_ stream: StreamID) { state.withLock { _ = $0.streams.remove(stream) } }

    /// Nil while everything is held.
    var streams: Set<StreamID>? { state.withLock { $0.isOpen ? nil : $0.streams } }

    var isSettled: Bool { state.withLock { !$0.isOpen } }

    func isHeld(_ stream: StreamID) -> Bool {
        state.withLock { $0.isOpen || $0.streams.contains(stream) }
    }
}
