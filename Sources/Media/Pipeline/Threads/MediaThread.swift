import Foundation
import Glibc

/// A thread for work that blocks or computes for long and would starve the cooperative pool.
public final class MediaThread: Sendable {
    /// Linux keeps this many bytes of a thread's name, without the terminator.
    static let nameBytesMaximum = 15

    private let ended: AsyncStream<Never>

    /// Starts at once. `body` runs to its end on the new thread.
    public init(name: String, body: @escaping @Sendable () -> Void) {
        let (ended, continuation) = AsyncStream.makeStream(of: Never.self)
        self.ended = ended
        let thread = Thread {
            Self.tellKernel(name)
            body()
            continuation.finish()
        }
        // x264 and libavcodec keep large frames of work on the stack.
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// Names the running thread for `top` and `perf`; Foundation does not tell the kernel.
    private static func tellKernel(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = Array(name.utf8.prefix(nameBytesMaximum)).withUnsafeBytes {
            write(file, $0.baseAddress, $0.count)
        }
    }

    /// Waits until `body` has returned. For one waiter.
    public func join() async { for await _ in ended {} }
}
