import Glibc

/// The chat of a recorded stream, in its directory, while it is written: a header, then a line for
/// each message, appended with one `write`. The writer may have been killed within the last line.
public struct ChatFile: Hashable, Sendable {
    public static let name = "chat.csv"
    /// Some hundred thousand ordinary messages. Further messages are dropped.
    public static let bytesMaximum = 64 << 20

    private let path: String

    /// - Parameter directory: of the stream; must exist.
    public init(in directory: String) { path = "\(directory)/\(Self.name)" }

    /// - Returns: the bytes of the message's line; nil when the file is full.
    /// - Throws: `.file`; the message is then not stored.
    public func append(_ record: ChatRecord) throws(RecordingError) -> Range<Int>? {
        let file = try LineFile(path)
        let size = file.byteCount
        let line = (size == 0 ? ChatRecord.header : "") + record.line
        let end = size + line.utf8.count
        guard end <= Self.bytesMaximum else { return nil }
        try file.append(line)
        return end - record.line.utf8.count..<end
    }

    /// Deletes a message in place: blanks take its line, which readers leave out. So the text is
    /// gone at once, and a file that is being appended to keeps its length.
    ///
    /// - Parameter line: from ``append(_:)``.
    /// - Throws: `.file`.
    public func erase(_ line: Range<Int>) throws(RecordingError) {
        // Not for appending, which ignores the place.
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw .failed("open", path) }
        defer { close(file) }
        let blanks = Array(repeating: UInt8(ascii: " "), count: max(0, line.count - 2))
        guard pwrite(file, blanks, blanks.count, off_t(line.lowerBound)) == blanks.count else {
            throw .failed("write", path)
        }
    }

    /// The file up to its last complete line, without deleted messages; nil without messages.
    ///
    /// - Throws: `.file`.
    public func read() throws(RecordingError) -> [UInt8]? {
        guard StreamFolder.isThere(path) else { return nil }
        let lines = Self.wholeLines(try StreamFolder.read(path, maximum: Self.bytesMaximum))
        return lines.count > ChatRecord.header.utf8.count ? lines : nil
    }

    /// The complete lines, without those of blanks alone. A line break within quotes does not count.
    static func wholeLines(_ bytes: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count)
        var isQuoted = false
        var isBlank = true
        var begin = 0
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\r"): break
            case UInt8(ascii: "\n") where !isQuoted:
                if !isBlank { lines += bytes[begin...index] }
                begin = index + 1
                isBlank = true
            default:
                isBlank = false
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            }
        }
        return lines
    }
}
