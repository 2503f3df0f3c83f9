/// A file in an archive. Its length and checksum are known before its bytes are written, so that
/// readers without seeking can read the archive from front to back.
public struct ZipEntry: Hashable, Sendable {
    /// UTF-8 bytes of a name.
    public static let nameBytesMaximum = 1024

    /// Relative, its components separated by `/`.
    public var name: String
    public var modified: ZipDate
    public var byteCount: UInt64
    /// CRC-32.
    public var checksum: UInt32

    /// - Throws: `.unusableName`.
    public init(
        name: String, modified: ZipDate, byteCount: UInt64, checksum: UInt32
    ) throws(ZipError) {
        let components = name.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\\") && $0 != 0x7F }
        guard isPlain, name.utf8.count <= Self.nameBytesMaximum,
            components.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else { throw .unusableName(name) }
        self.name = name
        self.modified = modified
        self.byteCount = byteCount
        self.checksum = checksum
    }
}

/// A time in archives' form, to two seconds. APPNOTE 4.4.6 uses MS-DOS' format, which has no time
/// zone; this is UTC.
public struct ZipDate: Hashable, Sendable {
    let time: UInt16
    let date: UInt16

    /// - Parameter unixSeconds: since 1970-01-01T00:00:00Z; years outside 1980…2107 are clamped.
    public init(unixSeconds: Int64) {
        // 1980-01-01 and the last two seconds of 2107.
        let seconds = min(max(unixSeconds, 315_532_800), 4_354_819_198)
        let days = seconds / 86_400
        let ofDay = seconds % 86_400
        // Counted from 1980-01-01, in cycles of four years that begin with the leap year; 2100,
        // which is none, is corrected below.
        var sinceEpoch = days - 3652
        if sinceEpoch >= Self.daysUntilMarch2100 { sinceEpoch += 1 }
        let cycle = sinceEpoch / 1461
        let ofCycle = sinceEpoch % 1461
        let yearOfCycle = ofCycle < 366 ? 0 : (ofCycle - 366) / 365 + 1
        var rest = yearOfCycle == 0 ? ofCycle : (ofCycle - 366) % 365
        var month = 0
        let february: Int64 = yearOfCycle == 0 ? 29 : 28
        let lengths: [Int64] = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        while rest >= lengths[month] {
            rest -= lengths[month]
            month += 1
        }
        let year = cycle * 4 + yearOfCycle
        date = UInt16(year << 9 | Int64(month + 1) << 5 | (rest + 1))
        time = UInt16((ofDay / 3600) << 11 | (ofDay / 60 % 60) << 5 | ofDay % 60 / 2)
    }

    /// From 1980-01-01 to 2100-03-01: 120 years, 30 of them with a leap day, and two months.
    private static let daysUntilMarch2100: Int64 = 120 * 365 + 30 + 31 + 28
}
