/// The log of a layer's segments: a line for each, in the order in which they were published.
public struct SegmentLog: Hashable, Sendable {
    /// In the layer's directory.
    public static let fileName = "segments.log"
    /// Months of two-second segments.
    static let bytesMaximum = 16 << 30

    /// In the order of their first lines. Where a number comes twice, the later line counts: the
    /// file was written anew.
    public private(set) var records: [SegmentRecord] = []
    /// Lines that are torn or changed.
    public private(set) var damagedLines = 0

    /// - Parameter bytes: of the file. A last line without its break was being written.
    public init(parsing bytes: [UInt8]) {
        var places: [Int: Int] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) { add(line, &places) }
    }

    /// Reads the file, and holds no more of it than its records: those of weeks are long.
    ///
    /// - Throws: `.file`.
    init(reading path: String) throws(RecordingError) {
        var places: [Int: Int] = [:]
        try LineFile.read(
            path, maximum: Self.bytesMaximum, lineMaximum: SegmentRecord.lineBytesMaximum
        ) { add($0, &places) }
    }

    /// - Parameter places: where in `records` each number is.
    private mutating func add(_ line: ArraySlice<UInt8>, _ places: inout [Int: Int]) {
        guard let record = SegmentRecord(line: String(decoding: line, as: UTF8.self)) else {
            damagedLines += 1
            return
        }
        if let place = places[record.number] {
            records[place] = record
        } else {
            places[record.number] = records.count
            records.append(record)
        }
    }

    /// What to append for a record, when the log's last byte is known.
    ///
    /// - Parameter last: nil for an empty log. A torn line before is closed first.
    public static func appendix(_ record: SegmentRecord, after last: UInt8?) -> String {
        let isTorn = last != nil && last != UInt8(ascii: "\n")
        return (isTorn ? "\n" : "") + record.line
    }
}
