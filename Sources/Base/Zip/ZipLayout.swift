/// The headers of a zip archive and their places: everything but the files' bytes. PKWARE's
/// APPNOTE.TXT 6.3.10.
///
/// ```
/// [local header][bytes]  …  [central directory][end of central directory]
/// ```
/// Files are stored uncompressed: media does not become smaller. Only fields that are too small for
/// their number get its 64-bit form (zip64, 4.3.14 and 4.5.3), so that every program can read
/// archives below 4 GB.
///
/// Invariant: each file's bytes follow the result of `add`; `finish` comes once, at the end. Memory
/// holds the central directory, about 100 bytes a file.
public struct ZipLayout: Sendable {
    /// Four days of one-second segments in five layers.
    public static let entriesMaximum = 2_000_000

    /// Bytes of the archive so far: headers and files.
    public private(set) var byteCount: UInt64 = 0
    private var centralDirectory: [UInt8] = []
    private var names: Set<String> = []
    private var isFinished = false

    private static let saturated32 = UInt32.max
    /// Version 4.5 has zip64, 2.0 has directories; nothing else is used.
    private static let versionPlain: UInt16 = 20
    private static let versionZip64: UInt16 = 45
    /// Bit 11: names are UTF-8.
    private static let flagUTF8: UInt16 = 1 << 11

    public init() {}

    /// Adds a file.
    ///
    /// - Returns: its local header (4.3.7); the file's bytes follow it.
    /// - Throws: `.repeatedName`, `.tooManyEntries`.
    public mutating func add(_ entry: ZipEntry) throws(ZipError) -> [UInt8] {
        precondition(!isFinished, "an archive that is finished takes no file")
        guard names.count < Self.entriesMaximum else {
            throw .tooManyEntries(maximum: Self.entriesMaximum)
        }
        guard names.insert(entry.name).inserted else { throw .repeatedName(entry.name) }
        var header: [UInt8] = []
        header.append(UInt32(0x0403_4B50))
        header.append(entry.isLong ? Self.versionZip64 : Self.versionPlain)
        Self.appendCommon(of: entry, to: &header)
        for _ in 0..<2 {
            header.append(entry.isLong ? Self.saturated32 : UInt32(entry.byteCount))
        }
        let extra = Self.zip64Extra(entry.isLong ? [entry.byteCount, entry.byteCount] : [])
        header.append(UInt16(entry.name.utf8.count))
        header.append(UInt16(extra.count))
        header += entry.name.utf8
        header += extra
        appendToDirectory(entry, offset: byteCount)
        byteCount += UInt64(header.count) + entry.byteCount
        return header
    }

    /// - Returns: the central directory (4.3.12) and the end of the archive (4.3.14 to 4.3.16).
    public mutating func finish() -> [UInt8] {
        precondition(!isFinished, "an archive is finished once")
        isFinished = true
        let offset = byteCount
        let size = UInt64(centralDirectory.count)
        let count = UInt64(names.count)
        var tail = centralDirectory
        let isLong =
            count >= UInt16.max || offset >= Self.saturated32 || size >= Self.saturated32
        if isLong {
            tail.append(UInt32(0x0606_4B50))
            tail.append(UInt64(44))  // of the rest of this record
            tail.append(Self.madeBy)
            tail.append(Self.versionZip64)
            tail.append(UInt32(0))  // this disk
            tail.append(UInt32(0))  // the disk with the directory
            tail.append(count)
            tail.append(count)
            tail.append(size)
            tail.append(offset)
            tail.append(UInt32(0x0706_4B50))
            tail.append(UInt32(0))
            tail.append(offset + size)
            tail.append(UInt32(1))  // disks
        }
        tail.append(UInt32(0x0605_4B50))
        tail.append(UInt32(0))  // this disk and the one with the directory
        for _ in 0..<2 { tail.append(UInt16(min(count, UInt64(UInt16.max)))) }
        tail.append(UInt32(min(size, UInt64(Self.saturated32))))
        tail.append(UInt32(min(offset, UInt64(Self.saturated32))))
        tail.append(UInt16(0))  // comment
        byteCount += UInt64(tail.count)
        return tail
    }

    // MARK: Fields

    /// Unix, so that readers use the permissions below.
    private static let madeBy: UInt16 = 3 << 8 | versionZip64
    /// A plain file, writable by its owner and readable by all.
    private static let attributes: UInt32 = 0o100644 << 16

    private static func appendCommon(of entry: ZipEntry, to header: inout [UInt8]) {
        header.append(flagUTF8)
        header.append(UInt16(0))  // stored
        header.append(entry.modified.time)
        header.append(entry.modified.date)
        header.append(entry.checksum)
    }

    private static func zip64Extra(_ values: [UInt64]) -> [UInt8] {
        guard !values.isEmpty else { return [] }
        var extra: [UInt8] = []
        extra.append(UInt16(1))
        extra.append(UInt16(values.count * 8))
        for value in values { extra.append(value) }
        return extra
    }

    private mutating func appendToDirectory(_ entry: ZipEntry, offset: UInt64) {
        // Only the fields that do not fit, in this order (4.5.3).
        var long: [UInt64] = []
        if entry.isLong { long += [entry.byteCount, entry.byteCount] }
        let place = UInt32(exactly: offset).flatMap { $0 == Self.saturated32 ? nil : $0 }
        if place == nil { long.append(offset) }
        let extra = Self.zip64Extra(long)
        var record: [UInt8] = []
        record.append(UInt32(0x0201_4B50))
        record.append(Self.madeBy)
        record.append(long.isEmpty ? Self.versionPlain : Self.versionZip64)
        Self.appendCommon(of: entry, to: &record)
        for _ in 0..<2 {
            record.append(entry.isLong ? Self.saturated32 : UInt32(entry.byteCount))
        }
        record.append(UInt16(entry.name.utf8.count))
        record.append(UInt16(extra.count))
        record.append(UInt16(0))  // comment
        record.append(UInt16(0))  // disk
        record.append(UInt16(0))  // internal attributes
        record.append(Self.attributes)
        record.append(place ?? Self.saturated32)
        record += entry.name.utf8
        record += extra
        centralDirectory += record
    }
}

extension ZipEntry {
    /// Whether its length does not fit into 32 bits, or equals the mark for a 64-bit field.
    fileprivate var isLong: Bool { byteCount >= UInt64(UInt32.max) }
}
