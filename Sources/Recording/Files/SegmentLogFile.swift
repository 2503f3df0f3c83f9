/// A layer's log on the disk, to which the bot appends. Owned by the layer's thread.
///
/// A line that is torn nevertheless, since the machine died, costs its segment only.
public final class SegmentLogFile {
    /// What is in the log, with what was appended since.
    public private(set) var records: [SegmentRecord]
    private let file: LineFile

    /// Opens the log of an earlier bot, or makes it.
    ///
    /// - Parameter directory: of the layer; it exists.
    /// - Throws: `.file`.
    public init(in directory: String) throws(RecordingError) {
        let path = "\(directory)/\(SegmentLog.fileName)"
        file = try LineFile(path)
        records =
            SegmentLog(
                parsing: try StreamFolder.read(path, maximum: SegmentLog.bytesMaximum)
            ).records
    }

    /// - Throws: `.file`; the segment is not recorded then.
    public func append(_ record: SegmentRecord) throws(RecordingError) {
        try file.append(SegmentLog.appendix(record, after: file.lastByte))
        records.append(record)
    }
}
