import MediaKernel

/// Writes a zip archive front to back: what it returns, and the files' own bytes, are the archive.
///
/// ```
/// archive += try zip.begin(entry)
/// for bytes in file { zip.append(bytes); archive += bytes }
/// archive += try zip.end()
/// archive += zip.finish()
/// ```
/// Nothing is held but the central directory: about 100 bytes a file.
public struct ZipWriter: Sendable {
    private var layout = ZipLayout()
    private var count: UInt64 = 0
    private var checksum = CRC32()

    public init() {}

    /// Bytes of the archive so far.
    public var byteCount: UInt64 { layout.byteCount + count }

    /// - Returns: what stands before the file's bytes.
    /// - Throws: `.repeatedName`, `.tooManyEntries`.
    public mutating func begin(_ entry: ZipEntry) throws(ZipError) -> [UInt8] {
        try layout.begin(entry)
    }

    /// Takes note of the next bytes of the file that was begun.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        checksum.update(bytes)
        count += UInt64(bytes.count)
    }

    public mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// - Returns: what stands behind the file's bytes.
    /// - Throws: `.contentChanged`, `.tooLong`; the archive cannot be finished then.
    public mutating func end() throws(ZipError) -> [UInt8] {
        let descriptor = try layout.end(byteCount: count, checksum: checksum.value)
        count = 0
        checksum = CRC32()
        return descriptor
    }

    /// - Returns: what ends the archive.
    public mutating func finish() -> [UInt8] { layout.finish() }
}
