import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A child process's report to the server: one JSON object per line on standard output.
public protocol ProcessReport: Hashable, Sendable, Codable {}

extension ProcessReport {
    /// Longer lines are not read: a process that writes one is broken.
    public static var lineBytesMaximum: Int { 64 * 1024 }

    /// Nil if the line is not a report: a newer process may send reports unknown to this server.
    public init?(line: some StringProtocol) {
        guard line.utf8.count <= Self.lineBytesMaximum,
            let report = try? JSONDocument.decode(Self.self, from: line.utf8, limits: .own)
        else { return nil }
        self = report
    }

    /// The line without its line break.
    public func line() throws -> String { try jsonText(self) }
}

func jsonText(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
