import Dispatch
import Foundation

/// Runs a call that a hanging disk may block, on a thread that nobody else waits for.
enum BlockingCall {
    /// On a thread of its own: a hundred calls that hang must not use up a pool.
    static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// - Parameter queue: calls on the same queue run one after the other.
    static func run<Value: Sendable, Failure: Error>(
        on queue: DispatchQueue,
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
