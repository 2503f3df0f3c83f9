import Dispatch

/// A call that lasts as long as a disk hangs: on a thread that nobody else waits for.
enum BlockingCall {
    /// - Parameter queue: calls on the same queue wait for each other.
    static func run<Value: Sendable, Failure: Error>(
        on queue: DispatchQueue = DispatchQueue(label: "disk"),
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
