import NIOCore
import Synchronization

/// The end of a connection, for a request of it that waits on another thread.
final class ConnectionEnd: Sendable {
    private struct State {
        var isOver = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// - Parameter action: called once the connection has ended, unless another call or `forget`
    ///   comes first: the routes answer one request of a connection at a time.
    func whenOver(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.action = action }
            return state.isOver
        }
        if isOver { action() }
    }

    /// The request is answered.
    func forget() { state.withLock { $0.action = nil } }

    /// The connection has ended.
    func over() {
        let action = state.withLock { state in
            state.isOver = true
            defer { state.action = nil }
            return state.action
        }
        action?()
    }

    /// Nil for a connection that has ended, or has no `EdgeHandler`.
    static func of(_ channel: any Channel) async -> ConnectionEnd? {
        try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: EdgeHandler.self).end
        }.get()
    }
}
