import Glibc
import Synchronization

/// Writes reports whole, one at a time, whichever task or thread has one.
public final class ReportWriter<Report: ProcessReport>: Sendable {
    private let lock = Mutex<Void>(())

    public init() {}

    /// A parent that is gone reads nothing, which ends nothing here.
    public func write(_ report: Report) {
        // A longer line would end its parent's reading of all of them.
        guard let line = try? report.line(), line.utf8.count < Report.lineBytesMaximum else {
            return
        }
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        lock.withLock { _ in
            bytes.withUnsafeBytes { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
    }
}
