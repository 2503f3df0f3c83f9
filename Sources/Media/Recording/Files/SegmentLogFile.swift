/// A layer's log on the disk, to which the bot appends. Owned by the layer's thread.
///
/// A line that is torn nevertheless, since the machine died, costs its segment only.
public final class SegmentLogFile {
    /// The latest of an earlier bot, in the order of their lines; none of a log without any. One at
    /// most is not listed yet, and the log of days has more than anybody needs here.
    public let latest: [SegmentRecord]
    private let file: LineFile

    /// Hundreds of lines, most often.
    private static let latestBytes = 1 << 20

    /// Opens the log of an earlier bot, or makes it.
    ///
    /// - Parameter directory: of the layer; it exists.
    /// - Throws: `.file`.
    public init(in directory: String) throws(RecordingError) {
        let file = try LineFile("\(directory)/\(SegmentLog.fileName)")
        var count = Self.latestBytes
        var log = SegmentLog(parsing: try file.tail(count))
        // A machine that died may have left a long end that is not readable.
        while log.records.isEmpty, count < file.byteCount {
            count *= 8
            log = SegmentLog(parsing: try file.tail(count))
        }
        latest = log.records
        self.file = file
    }

    /// - Throws: `.file`; the segment is not recorded then.
    public func append(_ record: SegmentRecord) throws(RecordingError) {
        try file.append(SegmentLog.appendix(record, after: file.lastByte))
    }
}
