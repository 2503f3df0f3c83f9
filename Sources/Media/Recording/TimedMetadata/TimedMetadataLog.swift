import Glibc
import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All timed metadata of a stream, in its directory: a line of JSON for each entry, with its own
/// CRC-32 at the end. The service appends an accepted entry before it tells the bot, so that
/// neither a bot's death nor a window that has moved on loses it.
public enum TimedMetadataLog {
    public static let fileName = "timed_metadata.log"
    /// As many lines as a stream may have, each of the greatest length that the API allows.
    static let bytesMaximum = 8 << 20

    /// - Parameter directory: of the stream; must exist.
    /// - Throws: `.file`; none of them is then logged.
    public static func append(
        _ entries: [TimedMetadata], in directory: String
    ) throws(RecordingError) {
        let file = try LineFile("\(directory)/\(fileName)")
        let isTorn = file.lastByte.map { $0 != UInt8(ascii: "\n") } ?? false
        try file.append((isTorn ? "\n" : "") + entries.map(line).joined())
    }

    /// In the order of the requests; empty for a stream without any. Lines that are torn or changed
    /// are ignored.
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
