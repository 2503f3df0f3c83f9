import Glibc

/// A file that grows by whole lines and whose writer may be killed at any moment.
///
/// Each append is one `write`: a killed process leaves all of it or nothing. A full disk may take a
/// part, which is cut off again: otherwise it would spoil the next line.
struct LineFile: ~Copyable {
    private let path: String
    private let file: Int32

    /// Opens or creates the file. Its directory must exist.
    ///
    /// - Throws: `.file`.
    init(_ path: String) throws(RecordingError) {
        let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .failed("open", path) }
        self.path = path
        self.file = file
    }

    deinit { close(file) }

    var byteCount: Int { max(0, Int(lseek(file, 0, SEEK_END))) }

    /// Nil for an empty file.
    var lastByte: UInt8? {
        var last: UInt8 = 0
        let size = byteCount
        return size > 0 && pread(file, &last, 1, size - 1) == 1 ? last : nil
    }

    /// What comes before the next line: a break after a line that a dead machine has torn.
    var separator: String {
        guard let lastByte, lastByte != UInt8(ascii: "\n") else { return "" }
        return "\n"
    }

    /// The last `count` bytes, or all if there are fewer.
    ///
    /// - Throws: `.file`.
    func tail(_ count: Int) throws(RecordingError) -> [UInt8] {
        let size = byteCount
        guard lseek(file, max(0, size - count), SEEK_SET) >= 0 else { throw .failed("seek", path) }
        return try StreamFolder.read(file, path, first: min(size, count))
    }

    /// Reads a file line by line, without line breaks. The last line may have no break; a line that
    /// is too long comes in pieces without the first.
    ///
    /// - Throws: `.file`, with `EFBIG` for a file above the maximum.
    static func read(
        _ path: String, maximum: Int, lineMaximum: Int, _ body: (ArraySlice<UInt8>) -> Void
    ) throws(RecordingError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .failed("open", path) }
        defer { close(file) }
        guard lseek(file, 0, SEEK_END) <= maximum else {
            throw .failed("read", path, code: EFBIG)
        }
        lseek(file, 0, SEEK_SET)
        var rest: [UInt8] = []
        while true {
            let bytes = try StreamFolder.read(file, path, first: readBytes)
            guard !bytes.isEmpty else { break }
            rest += bytes
            if let end = rest.lastIndex(of: UInt8(ascii: "\n")) {
                rest[..<end].split(separator: UInt8(ascii: "\n")).forEach(body)
                rest.removeSubrange(...end)
            }
            if rest.count > lineMaximum { rest = [] }
        }
        if !rest.isEmpty { body(rest[...]) }
    }

    /// Bytes per read.
    private static let readBytes = 1 << 20

    /// - Throws: `.file`; nothing is then appended.
    func append(_ text: String) throws(RecordingError) { try append(Array(text.utf8)) }

    /// - Throws: `.file`; nothing is then appended.
    func append(_ bytes: [UInt8]) throws(RecordingError) {
        let size = byteCount
        var count = 0
        repeat { count = write(file, bytes, bytes.count) } while count < 0 && errno == EINTR
        guard count == bytes.count else {
            let code = count < 0 ? errno : ENOSPC
            if count > 0 { ftruncate(file, size) }
            throw .failed("write", path, code: code)
        }
    }
}
