import Glibc
import MediaKernel
import Zip

/// A zip archive that is being written to disk.
struct ArchiveFile {
    private let file: AssetFile
    private let modified: ZipDate
    private var layout = ZipLayout()

    init(_ file: AssetFile, modified: ZipDate) {
        self.file = file
        self.modified = modified
    }

    mutating func add(_ name: String, _ text: String) throws(RecordingError) {
        let bytes = Array(text.utf8)
        try add(name, bytes, checksum: CRC32.checksum(bytes))
    }

    /// - Parameter checksum: of the bytes; it is not computed again.
    /// - Returns: the range of the bytes in the archive.
    /// - Throws: `.file`, `.archive`.
    @discardableResult
    mutating func add(
        _ name: String, _ bytes: [UInt8], checksum: UInt32
    ) throws(RecordingError) -> Range<UInt64> {
        let header: [UInt8]
        let count = UInt64(bytes.count)
        do throws(ZipError) {
            header = try layout.add(
                try ZipEntry(name: name, modified: modified, byteCount: count, checksum: checksum))
        } catch {
            throw .archive(error.description)
        }
        try file.write(header)
        try file.write(bytes)
        return layout.byteCount - count..<layout.byteCount
    }

    /// Begins a file that is too large to be in memory; `append` has all of its bytes.
    ///
    /// - Throws: `.file`, `.archive`.
    mutating func begin(
        _ name: String, byteCount: UInt64, checksum: UInt32
    ) throws(RecordingError) {
        let header: [UInt8]
        do throws(ZipError) {
            header = try layout.add(
                try ZipEntry(
                    name: name, modified: modified, byteCount: byteCount, checksum: checksum))
        } catch {
            throw .archive(error.description)
        }
        try file.write(header)
    }

    /// - Throws: `.file`.
    func append(_ bytes: [UInt8]) throws(RecordingError) { try file.write(bytes) }

    /// Bytes read at a time.
    private static let readBytes = 1 << 20

    /// Copies a file into the archive.
    ///
    /// - Throws: `.file`, `.archive`.
    mutating func add(
        _ name: String, from path: String, byteCount: UInt64, checksum: UInt32,
        progress: () -> Void
    ) throws(RecordingError) {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw .failed("open", path) }
        defer { close(source) }
        try begin(name, byteCount: byteCount, checksum: checksum)
        var rest = byteCount
        while rest > 0 {
            let bytes = try StreamFolder.read(
                source, path, first: Int(min(rest, UInt64(Self.readBytes))))
            guard !bytes.isEmpty else { throw .failed("read", path, code: EIO) }
            try append(bytes)
            rest -= UInt64(bytes.count)
            progress()
        }
    }

    /// - Returns: the archive's bytes.
    mutating func finish() throws(RecordingError) -> UInt64 {
        try file.write(layout.finish())
        try file.finish()
        return layout.byteCount
    }
}
