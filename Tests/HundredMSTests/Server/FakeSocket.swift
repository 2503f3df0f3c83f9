import RoomHost
import Synchronization

/// A socket whose other end is the test. If it is stuck, no frame leaves it.
final class FakeSocket: SignallingSocket {
    struct Closure: Hashable, Sendable {
        let code: UInt16
        let reason: String
    }

    private typealias Reader = CheckedContinuation<String?, Never>

    private struct State {
        var frames: [String] = []
        var closures: [Closure] = []
        var reader: Reader?
        var closeWaiters: [CheckedContinuation<Closure, Never>] = []
        var isStuck = false
        var stuck: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    init(isStuck: Bool = false) { state.withLock { $0.isStuck = isStuck } }

    func send(_ text: String) async -> Bool {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.isStuck else { return false }
                state.stuck.append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
        let (isTaken, reader) = state.withLock { state in
            guard state.closures.isEmpty else { return (false, nil as Reader?) }
            guard let reader = state.reader else {
                state.frames.append(text)
                return (true, nil)
            }
            state.reader = nil
            return (true, reader)
        }
        reader?.resume(returning: text)
        return isTaken
    }

    func close(code: UInt16, reason: String) async {
        let closure = Closure(code: code, reason: reason)
        let (reader, waiters) = state.withLock { state in
            state.closures.append(closure)
            defer {
                state.reader = nil
                state.closeWaiters = []
            }
            return (state.reader, state.closeWaiters)
        }
        reader?.resume(returning: nil)
        for waiter in waiters { waiter.resume(returning: closure) }
    }

    /// The next frame that was sent, `nil` once the socket was closed and all frames were read.
    func next() async -> String? {
        let text: String? = await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> String?? in
                if !state.frames.isEmpty { return state.frames.removeFirst() }
                if !state.closures.isEmpty { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
        return text.map(TestDescription.named)
    }

    /// How the socket was closed, as soon as it is.
    func closure() async -> Closure {
        await withCheckedContinuation { continuation in
            let closure = state.withLock { state -> Closure? in
                if let first = state.closures.first { return first }
                state.closeWaiters.append(continuation)
                return nil
            }
            if let closure { continuation.resume(returning: closure) }
        }
    }

    /// Releases the stuck frames.
    func release() {
        let stuck = state.withLock { state in
            defer { state.stuck = [] }
            state.isStuck = false
            return state.stuck
        }
        for continuation in stuck { continuation.resume() }
    }
}
