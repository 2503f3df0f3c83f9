import Glibc
import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All timed metadata of a stream, in its directory: a line of JSON for each, closed by its own
/// CRC-32. Whoever accepts one appends it before the bot is told, so that neither a bot's death nor
/// a window that moved on costs it.
public enum TimedMetadataLog {
    public static let fileName = "timed_metadata.log"
    /// As many lines as a stream takes, of the longest that pass the API's limits.
    static let bytesMaximum = 8 << 20

    /// - Parameter directory: of the stream; it exists.
    /// - Throws: `.file`; none of them is logged then.
    public static func append(
        _ entries: [TimedMetadata], in directory: String
    ) throws(RecordingError) {
        let file = try LineFile("\(directory)/\(fileName)")
        let isTorn = file.lastByte.map { $0 != UInt8(ascii: "\n") } ?? false
        try file.append((isTorn ? "\n" : "") + entries.map(line).joined())
    }

    /// In the order in which they were asked for; none where the stream has none. Lines that are
    /// torn or changed are passed over.
    ///
    /// - Throws: `.file`.
    public static func read(in directory: String) throws(RecordingError) -> [TimedMetadata] {
        let path = "\(directory)/\(fileName)"
        guard StreamFolder.isThere(path) else { return [] }
        return parse(try StreamFolder.read(path, maximum: bytesMaximum))
    }

    static func parse(_ bytes: [UInt8]) -> [TimedMetadata] {
        bytes.split(separator: UInt8(ascii: "\n")).prefix(TimedMetadata.perStreamMaximum)
            .compactMap { entry(String(decoding: $0, as: UTF8.self)) }
    }

    static func line(_ entry: TimedMetadata) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(entry) else {
            preconditionFailure("numbers and texts always encode")
        }
        return ChecksummedLine.closed(String(decoding: data, as: UTF8.self))
    }

    private static func entry(_ line: String) -> TimedMetadata? {
        guard let text = ChecksummedLine.text(of: line),
            let entry = try? JSONDocument.decode(TimedMetadata.self, from: text.utf8, limits: .own),
            entry.isUsable
        else { return nil }
        return entry
    }
}
