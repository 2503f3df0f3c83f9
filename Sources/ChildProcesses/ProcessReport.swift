import Glibc
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a child process tells the server: one JSON object a line on standard output.
public protocol ProcessReport: Hashable, Sendable, Codable {}

extension ProcessReport {
    /// Longer lines are not read: a process that writes one is broken.
    public static var lineBytesMaximum: Int { 64 * 1024 }

    /// Nil for what is no report: a newer process may say more than this server understands.
    public init?(line: some StringProtocol) {
        guard line.utf8.count <= Self.lineBytesMaximum,
            let report = try? JSONDecoder().decode(Self.self, from: Data(line.utf8))
        else { return nil }
        self = report
    }

    /// Without its line break.
    public func line() throws -> String { try jsonText(self) }
}

/// Writes reports whole, one at a time, whichever task or thread has one.
public final class ReportWriter: Sendable {
    private let lock = Mutex<Void>(())

    public init() {}

    /// A parent that is gone reads nothing, which ends nothing here.
    public func write(_ report: some ProcessReport) {
        guard let line = try? report.line() else { return }
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        lock.withLock { _ in
            bytes.withUnsafeBytes { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
    }
}

func jsonText(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
