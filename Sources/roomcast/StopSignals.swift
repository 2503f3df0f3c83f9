import Dispatch
import Glibc
import Service
import Synchronization

/// The reasons for this process to finish, as they arrive: SIGINT, SIGTERM, SIGHUP unless it is
/// ignored, and, if requested, a parent's command on standard input.
final class StopSignals: Sendable {
    let reasons: AsyncStream<String>
    private let sink: AsyncStream<String>.Continuation
    private let sources: Mutex<[any DispatchSourceSignal]>

    init() {
        let (reasons, sink) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(8))
        self.reasons = reasons
        self.sink = sink
        var wanted = [(SIGINT, "interrupted"), (SIGTERM, "terminated")]
        if !HangUp.isIgnored { wanted.append((SIGHUP, "hung up")) }
        // Without this the default action would end the process before the source fires.
        for (number, _) in wanted { signal(number, SIG_IGN) }
        let queue = DispatchQueue(label: "signals")
        let made = wanted.map { number, reason in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { sink.yield(reason) }
            source.resume()
            return source as any DispatchSourceSignal
        }
        sources = Mutex(made)
    }

    func finish(because reason: String) { sink.yield(reason) }

    /// Finishes on a line "stop", or at the end of the input, when the parent is gone.
    ///
    /// - Parameter other: called with every other line, on a thread of its own.
    func followStandardInput(_ other: @escaping @Sendable (String) -> Void) {
        let sink = sink
        let thread = DispatchQueue(label: "standard input")
        thread.async {
            while let line = readLine() {
                if line == "stop" {
                    sink.yield("client request")
                    return
                }
                other(line)
            }
            sink.yield("parent gone")
        }
    }
}
