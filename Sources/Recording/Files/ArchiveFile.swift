import MediaKernel
import Zip

/// A zip archive on its way to the disk.
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

    /// - Parameter checksum: of the bytes, which is not computed again.
    /// - Throws: `.file`, `.archive`.
    mutating func add(
        _ name: String, _ bytes: [UInt8], checksum: UInt32
    ) throws(RecordingError) {
        let head: [UInt8]
        let tail: [UInt8]
        do throws(ZipError) {
            let count = UInt64(bytes.count)
            head = try layout.begin(
                try ZipEntry(
                    name: name, modified: modified,
                    content: .known(byteCount: count, checksum: checksum)))
            tail = try layout.end(byteCount: count, checksum: checksum)
        } catch {
            throw .archive(error.description)
        }
        try file.write(head)
        try file.write(bytes)
        try file.write(tail)
    }

    /// - Returns: the archive's bytes.
    mutating func finish() throws(RecordingError) -> UInt64 {
        try file.write(layout.finish())
        try file.finish()
        return layout.byteCount
    }
}
