import Logging
import Synchronization

/// What was logged, with all metadata.
final class LogLines: Sendable {
    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.text.withLock {
                $0 += "\(event.message) \(event.metadata ?? [:]) \(metadata)\n"
            }
        }
    }

    private let text = Mutex("")
    var all: String { text.withLock { $0 } }

    /// Logs here at the most verbose level.
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }
}
