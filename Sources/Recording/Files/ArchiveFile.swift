import Zip

/// A zip archive on its way to the disk.
struct ArchiveFile: ~Copyable {
    private let file: AssetFile
    private let modified: ZipDate
    private var zip = ZipWriter()

    init(_ file: consuming AssetFile, modified: ZipDate) {
        self.file = file
        self.modified = modified
    }

    /// - Throws: `.file`, `.archive`.
    mutating func add(
        _ name: String, _ bytes: [UInt8], _ checksum: UInt32
    ) throws(RecordingError) {
        let head: [UInt8]
        let tail: [UInt8]
        do throws(ZipError) {
            head = try zip.begin(
                try ZipEntry(
                    name: name, modified: modified,
                    content: .known(byteCount: UInt64(bytes.count), checksum: checksum)))
            zip.append(bytes)
            tail = try zip.end()
        } catch {
            throw .archive(error.description)
        }
        try file.write(head)
        try file.write(bytes)
        try file.write(tail)
    }

    /// - Returns: the archive's bytes.
    consuming func finish() throws(RecordingError) -> UInt64 {
        try file.write(zip.finish())
        let byteCount = zip.byteCount
        try file.finish()
        return byteCount
    }
}
