import Glibc
import Synchronization

/// All writers have the same pipe.
private let standardOutput = Mutex<Void>(())

/// Writes reports whole, one at a time, from any task or thread.
public final class ReportWriter<Report: ProcessReport>: Sendable {
    public init() {}

    /// If the parent is gone, the write has no effect.
    public func write(_ report: Report) {
        // A longer line would make the parent stop reading reports.
        guard let line = try? report.line(), line.utf8.count < Report.lineBytesMaximum else {
            return
        }
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        standardOutput.withLock { _ in
            bytes.withUnsafeBytes { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
    }
}
