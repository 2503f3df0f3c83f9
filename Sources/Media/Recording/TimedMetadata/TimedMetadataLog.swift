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
        try file.append(file.separator + entries.map(line).joined())
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

    static func line(_ entry: TimedMetadata) -> String { ChecksummedLine.closed(encoding: entry) }

    private static func entry(_ line: String) -> TimedMetadata? {
        ChecksummedLine.value(TimedMetadata.self, of: line).flatMap { $0.isUsable ? $0 : nil }
    }
}
