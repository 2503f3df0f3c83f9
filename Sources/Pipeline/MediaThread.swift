import Foundation

/// A thread for work that blocks or computes for long, which would starve the cooperative pool.
final class MediaThread: Sendable {
    private let ended: AsyncStream<Never>

    /// Starts at once. `body` runs to its end on the new thread.
    init(name: String, body: @escaping @Sendable () -> Void) {
        let (ended, continuation) = AsyncStream.makeStream(of: Never.self)
        self.ended = ended
        let thread = Thread {
            body()
            continuation.finish()
        }
        thread.name = name
        // x264 and libavcodec keep large frames of work on the stack.
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// Waits until `body` has returned. For one waiter.
    func join() async { for await _ in ended {} }
}
