import Synchronization

/// The work of a stay in a room. `leave()` ends it, even before it has begun, as does the
/// cancellation of the task that runs it.
public final class RoomStay: Sendable {
    private struct State {
        var work: Task<RoomEnd?, Never>?
        var isLeaving = false
    }

    private let state = Mutex(State())

    public init() {}

    /// Whether `leave()` was called.
    public var isLeaving: Bool { state.withLock { $0.isLeaving } }

    /// Runs the work to its end, once.
    public func run(_ work: @escaping @Sendable () async -> RoomEnd?) async -> RoomEnd? {
        let task = Task { await work() }
        let isLeaving = state.withLock { state in
            state.work = task
            return state.isLeaving
        }
        if isLeaving { task.cancel() }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Cancels the work.
    public func leave() {
        let work = state.withLock { state in
            state.isLeaving = true
            return state.work
        }
        work?.cancel()
    }
}
