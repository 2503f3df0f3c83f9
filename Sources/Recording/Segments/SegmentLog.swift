/// The log of a layer's segments: a line for each, in the order in which they were published.
public struct SegmentLog: Hashable, Sendable {
    /// In the layer's directory.
    public static let fileName = "segments.log"
    /// Six days of two-second segments.
    public static let bytesMaximum = 256 << 20

    /// In the order of their first lines. Where a number comes twice, the later line counts: the
    /// file was written anew.
    public private(set) var records: [SegmentRecord] = []
    /// Lines that are torn or changed.
    public private(set) var damagedLines = 0

    /// - Parameter bytes: of the file. A last line without its break was being written.
    public init(parsing bytes: [UInt8]) {
        var places: [Int: Int] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let record = SegmentRecord(line: String(decoding: line, as: UTF8.self)) else {
                damagedLines += 1
                continue
            }
            if let place = places[record.number] {
                records[place] = record
            } else {
                places[record.number] = records.count
                records.append(record)
            }
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
