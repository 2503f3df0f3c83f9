import MediaKernel

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
            let report = try? JSONDocument.decode(Self.self, from: line.utf8, limits: .own)
        else { return nil }
        self = report
    }

    /// Without its line break.
    public func line() throws -> String { try jsonText(self) }
}

func jsonText(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
