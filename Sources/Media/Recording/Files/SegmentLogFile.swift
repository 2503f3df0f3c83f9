/// A layer's segment log on disk, to which the bot appends. Owned by the layer's thread.
///
/// A line that is torn all the same, because the machine died, costs only its segment.
public final class SegmentLogFile {
    /// The latest records of an earlier bot, in the order of their lines; empty for an empty log.
    /// At most one is not yet in the playlist, and the log of several days is longer than needed
    /// here.
    public let latest: [SegmentRecord]
    private let file: LineFile

    /// Usually hundreds of lines.
    private static let latestBytes = 1 << 20

    /// Opens the log of an earlier bot, or creates it.
    ///
    /// - Parameter directory: of the layer; must exist.
    /// - Throws: `.file`.
    public init(in directory: String) throws(RecordingError) {
        let file = try LineFile("\(directory)/\(SegmentLog.fileName)")
        var count = Self.latestBytes
        var log = SegmentLog(parsing: try file.tail(count))
        // A machine that died may have left a long unreadable end.
        while log.records.isEmpty, count < file.byteCount {
            count *= 8
            log = SegmentLog(parsing: try file.tail(count))
        }
        latest = log.records
        self.file = file
    }

    /// - Throws: `.file`; the segment is then not recorded.
    public func append(_ record: SegmentRecord) throws(RecordingError) {
        try file.append(SegmentLog.appendix(record, after: file.lastByte))
    }
}
