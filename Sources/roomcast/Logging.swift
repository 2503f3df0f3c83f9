import Glibc
import Logging
import Service

extension Logger {
    /// A logger that writes one line per event to standard error.
    static func roomcast(
        _ label: String, level: LogLevel, format: LineLogHandler.Format
    ) -> Logger {
        // A missing reader of the log or of the reports must not end the process.
        signal(SIGPIPE, SIG_IGN)
        LoggingSystem.bootstrap { LineLogHandler(label: $0, level: level, format: format) }
        return Logger(label: label)
    }
}
