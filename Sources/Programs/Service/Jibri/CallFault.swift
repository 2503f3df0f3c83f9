import Glibc
import Recording

/// Why the files of a call cannot be kept, for the operator.
struct CallFault: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ path: String, _ reason: String) { description = "\(path): \(reason)" }

    /// - Parameter code: the kernel's.
    init(_ path: String, _ code: Int32) { self.init(path, String(cString: strerror(code))) }

    static func notOurs(_ path: String) -> CallFault {
        CallFault(path, "is not a directory that only this program's user may write")
    }

    private init(_ error: RecordingError) { description = error.description }

    static func of(_ body: () throws(RecordingError) -> Void) throws(CallFault) {
        do throws(RecordingError) { try body() } catch { throw CallFault(error) }
    }
}
