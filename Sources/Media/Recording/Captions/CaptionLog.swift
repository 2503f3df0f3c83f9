import Glibc

/// All captions of a stream, in its directory: a line of JSON for each, with its own CRC-32 at the
/// end. The service appends accepted captions before it answers, and bots read them from here, so
/// that neither a death of a process nor a full queue loses one.
public enum CaptionLog {
    public static let fileName = "captions.log"
    /// As many captions of ordinary length as a stream may have, several times over.
    static let bytesMaximum = 64 << 20

    /// - Parameter directory: of the stream; must exist.
    /// - Returns: false when the log is full; none of them is then logged.
    /// - Throws: `.file`; none of them is then logged.
    public static func append(
        _ captions: [Caption], in directory: String
    ) throws(RecordingError) -> Bool {
        let file = try LineFile("\(directory)/\(fileName)")
        let text = file.separator + captions.map(line).joined()
        guard file.byteCount + text.utf8.count <= bytesMaximum else { return false }
        try file.append(text)
        return true
    }

    /// In the order in which they were accepted; empty for a stream without any. Lines that are
    /// torn or changed are ignored.
    ///
    /// - Throws: `.file`.
    public static func read(in directory: String) throws(RecordingError) -> [Caption] {
        var reader = Reader(in: directory)
        return try reader.more()
    }

    /// Reads the log while it grows.
    public struct Reader: Sendable {
        private let path: String
        /// Bytes that have been read, up to the end of a line.
        private var place = 0
        private var count = 0

        /// - Parameter directory: of the stream.
        public init(in directory: String) { path = "\(directory)/\(fileName)" }

        /// The captions since the last call. Costs one system call if there are none.
        ///
        /// - Throws: `.file`.
        public mutating func more() throws(RecordingError) -> [Caption] {
            var status = stat()
            guard stat(path, &status) == 0 else {
                guard errno == ENOENT || errno == ENOTDIR else { throw .failed("stat", path) }
                return []
            }
            guard status.st_size > place else { return [] }
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw .failed("open", path) }
            defer { close(file) }
            guard lseek(file, place, SEEK_SET) >= 0 else { throw .failed("seek", path) }
            let bytes = try StreamFolder.read(
                file, path, first: min(Int(status.st_size) - place, bytesMaximum))
            guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
            let lines = bytes[..<end].split(separator: UInt8(ascii: "\n"))
            place += end + 1
            let captions = lines.compactMap { caption(String(decoding: $0, as: UTF8.self)) }
                .prefix(Caption.perStreamMaximum - count)
            count += captions.count
            return Array(captions)
        }
    }

    static func line(_ caption: Caption) -> String { ChecksummedLine.closed(encoding: caption) }

    private static func caption(_ line: String) -> Caption? {
        ChecksummedLine.value(Caption.self, of: line).flatMap { $0.isUsable ? $0 : nil }
    }
}
