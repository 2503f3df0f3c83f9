/// The log of a layer's segments: a line for each, in the order of publication.
public struct SegmentLog: Hashable, Sendable {
    /// In the layer's directory.
    public static let fileName = "segments.log"
    /// Months of two-second segments.
    static let bytesMaximum = 16 << 30

    /// In the order of their first lines. If a number occurs twice, the later line counts: the file
    /// was rewritten.
    public private(set) var records: [SegmentRecord] = []
    /// Lines that are torn or changed.
    public private(set) var damagedLines = 0

    /// - Parameter bytes: of the file. A last line without a line break was still being written.
    public init(parsing bytes: [UInt8]) {
        var places: [Int: Int] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) { add(line, &places) }
    }

    /// Reads the file and keeps only its records in memory: a log of weeks is long.
    ///
    /// - Throws: `.file`.
    init(reading path: String) throws(RecordingError) {
        var places: [Int: Int] = [:]
        try LineFile.read(
            path, maximum: Self.bytesMaximum, lineMaximum: SegmentRecord.lineBytesMaximum
        ) { add($0, &places) }
    }

    /// - Parameter places: the index in `records` of each number.
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

    /// The text to append for a record, given the log's last byte.
    ///
    /// - Parameter last: nil for an empty log. A torn line before it is closed first.
    public static func appendix(_ record: SegmentRecord, after last: UInt8?) -> String {
        let isTorn = last != nil && last != UInt8(ascii: "\n")
        return (isTorn ? "\n" : "") + record.line
    }
}
