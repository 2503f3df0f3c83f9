import Dispatch
import Foundation

/// Runs a call that a hanging disk may block, on a thread that nobody else waits for.
enum BlockingCall {
    /// - Parameter queue: calls on the same queue run one after the other. Nil for a thread of the
    ///   call's own: a hundred calls that hang must not use up a pool.
    static func run<Value: Sendable, Failure: Error>(
        on queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            let call = { @Sendable in continuation.resume(returning: Result(catching: body)) }
            if let queue { queue.async(execute: call) } else { Thread.detachNewThread(call) }
        }
        return try result.get()
    }

    /// - Returns: nil if it takes longer than the limit. Its thread then goes on.
    static func run<Value: Sendable>(
        atMost limit: Duration, _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        let (values, value) = AsyncStream.makeStream(of: Value.self)
        Thread.detachNewThread {
            value.yield(body())
            value.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            value.finish()
        }
        defer { timer.cancel() }
        return await values.first { _ in true }
    }
}
