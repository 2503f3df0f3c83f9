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

    /// - Returns: false when the file is full.
    /// - Throws: `.file`; the message is then not stored.
    public func append(_ record: ChatRecord) throws(RecordingError) -> Bool {
        let file = try LineFile(path)
        let size = file.byteCount
        let line = (size == 0 ? ChatRecord.header : "") + record.line
        guard size + line.utf8.count <= Self.bytesMaximum else { return false }
        try file.append(line)
        return true
    }

    /// The file up to its last complete line; nil without messages.
    ///
    /// - Throws: `.file`.
    public func read() throws(RecordingError) -> [UInt8]? {
        guard StreamFolder.isThere(path) else { return nil }
        let bytes = try StreamFolder.read(path, maximum: Self.bytesMaximum)
        let whole = Self.wholeLines(bytes)
        return whole > ChatRecord.header.utf8.count ? Array(bytes[..<whole]) : nil
    }

    /// Bytes up to the end of the last complete line. A line break within quotes does not count.
    static func wholeLines(_ bytes: [UInt8]) -> Int {
        var isQuoted = false
        var end = 0
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\n"), !isQuoted { end = index + 1 }
        }
        return end
    }
}
