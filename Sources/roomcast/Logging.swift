import Glibc
import Logging
import Service

extension Logger {
    /// A logger that writes one line per event to standard error.
    ///
    /// - Parameter copy: gets the lines, too.
    static func roomcast(
        _ label: String, level: LogLevel, format: LineLogHandler.Format,
        copy: LineLogHandler.Copy? = nil
    ) -> Logger {
        // A missing reader of the log or of the reports must not end the process.
        signal(SIGPIPE, SIG_IGN)
        LoggingSystem.bootstrap {
            LineLogHandler(label: $0, level: level, format: format, copy: copy)
        }
        return Logger(label: label)
    }
}
