import Logging
import Synchronization

/// Counts the errors in a log.
final class LoggedErrors: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(errors: self) } }

    private struct Handler: LogHandler {
        let errors: LoggedErrors
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { errors.state.withLock { $0 += 1 } }
    }
}
