/// What a decoder needs before any segment: the EXT-X-MAP of segments of fragmented MP4. RFC 8216
/// sect. 4.3.2.5.
public struct InitializationSection: Hashable, Sendable {
    /// Relative to the playlist; without line breaks and quotation marks.
    public var uri: String
    /// The section's bytes in the resource; nil for all of them.
    public var byteRange: Range<UInt64>?

    static let tag = "EXT-X-MAP"

    public init(uri: String, byteRange: Range<UInt64>? = nil) {
        self.uri = uri
        self.byteRange = byteRange
    }

    func rendered() -> String {
        let range = byteRange.map { ",BYTERANGE=\"\($0.count)@\($0.lowerBound)\"" } ?? ""
        return "#\(Self.tag):URI=\"\(uri)\"\(range)\n"
    }

    init(parsing value: String?, line: Int) throws(PlaylistError) {
        let attributes = try AttributeList(value ?? "", line: line)
        guard let uri = try attributes.quotedString("URI") else {
            throw .missingAttribute("URI", line: line)
        }
        guard let written = try attributes.quotedString("BYTERANGE") else {
            self.init(uri: uri)
            return
        }
        // Here the start is not optional.
        let parts = written.split(separator: "@", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { decimalInteger($0) }.map { UInt64($0) }
        guard numbers.count == 2, parts.count == 2 else {
            throw .malformedTag(Self.tag, line: line)
        }
        let (end, isBeyond) = numbers[1].addingReportingOverflow(numbers[0])
        guard !isBeyond else { throw .malformedTag(Self.tag, line: line) }
        self.init(uri: uri, byteRange: numbers[1]..<end)
    }
}
