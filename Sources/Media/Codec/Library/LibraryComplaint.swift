internal import CLibAV
import Glibc
import Synchronization

/// What the network code of libavformat says about a failure, which its codes do not tell. Its
/// messages may contain addresses with secrets, so only their patterns are looked at.
enum LibraryComplaint {
    private static let patterns: [(part: StaticString, reason: String)] = [
        ("owner does not match hostname", "the server's certificate is for another name"),
        ("Unable to verify peer certificate", "the server's certificate is not valid"),
        ("Server error", "the server refused the stream"),
    ]

    /// By thread: the library speaks on the thread of the call.
    private static let latest = Mutex<[UInt: String]>([:])

    private static let isListening: Void = {
        av_log_set_callback { object, level, format, arguments in
            guard level <= AV_LOG_ERROR, let format else { return }
            // As before: what comes before an abort.
            if level <= AV_LOG_FATAL, let arguments {
                av_log_default_callback(object, level, format, arguments)
            }
            LibraryComplaint.take(format)
        }
    }()

    /// Called for the errors of all the library's parts, which a peer's broken pictures make many.
    private static func take(_ format: UnsafePointer<CChar>) {
        let pattern = patterns.first { pattern in
            pattern.part.withUTF8Buffer { part in
                part.withMemoryRebound(to: CChar.self) { part in
                    part.baseAddress.map { strstr(format, $0) != nil } ?? false
                }
            }
        }
        guard let pattern else { return }
        latest.withLock { $0[UInt(pthread_self())] = pattern.reason }
    }

    /// Forgets what was said on this thread.
    static func begin() {
        _ = isListening
        latest.withLock { $0[UInt(pthread_self())] = nil }
    }

    /// What was said on this thread since `begin`; nil for nothing of interest.
    static func end() -> String? {
        latest.withLock { $0.removeValue(forKey: UInt(pthread_self())) }
    }
}
