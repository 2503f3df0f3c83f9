import Glibc

/// A layer's log on the disk, to which the bot appends. Owned by the layer's thread.
///
/// A line is one `write`: a process that is killed leaves it whole or not there, and a disk that is
/// full at most torn, which costs that line only.
public final class SegmentLogFile {
    /// What is in the log, with what was appended since.
    public private(set) var records: [SegmentRecord]
    private let path: String
    private let file: Int32
    private var lastByte: UInt8?

    /// Opens the log of an earlier bot, or makes it.
    ///
    /// - Parameter directory: of the layer; it exists.
    /// - Throws: `.file`.
    public init(in directory: String) throws(RecordingError) {
        let path = "\(directory)/\(SegmentLog.fileName)"
        let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .failed("open", path) }
        let bytes: [UInt8]
        do throws(RecordingError) {
            bytes = try StreamFolder.read(path, maximum: SegmentLog.bytesMaximum)
        } catch {
            close(file)
            throw error
        }
        self.path = path
        self.file = file
        records = SegmentLog(parsing: bytes).records
        lastByte = bytes.last
    }

    deinit { close(file) }

    /// - Throws: `.file`; the segment is not recorded then.
    public func append(_ record: SegmentRecord) throws(RecordingError) {
        let line = Array(SegmentLog.appendix(record, after: lastByte).utf8)
        var count = 0
        repeat { count = write(file, line, line.count) } while count < 0 && errno == EINTR
        if count > 0 { lastByte = line[count - 1] }
        guard count == line.count else {
            throw .failed("write", path, code: count < 0 ? errno : ENOSPC)
        }
        records.append(record)
    }
}
