public import MediaKernel

/// A stretch of time with an application's message to players. RFC 8216 sect. 4.3.2.7.
///
/// ```
/// #EXT-X-DATERANGE:ID="7",START-DATE="2026-02-03T04:05:06.789Z",DURATION=5,X-100MSLIVE-PAYLOAD="e…"
/// ```
/// Players relate the date to EXT-X-PROGRAM-DATE-TIME, so a range may be listed with any segment.
/// The attributes have this order because 100ms' Android example accepts no other.
public struct DateRange: Hashable, Sendable {
    /// Unique in the playlist.
    public var id: String
    /// Nanoseconds since 1970, rendered in milliseconds.
    public var start: Int64
    /// Nil for a range whose end is not known.
    public var duration: MediaTime?
    /// The value of `X-100MSLIVE-PAYLOAD`: base64.
    public var payload: String?

    public init(id: String, start: Int64, duration: MediaTime? = nil, payload: String? = nil) {
        self.id = id
        self.start = start
        self.duration = duration
        self.payload = payload
    }

    static let tag = "EXT-X-DATERANGE"

    /// Nanoseconds since 1970; `.max` where it is not known.
    package var end: Int64 {
        guard let duration else { return .max }
        let (end, isBeyond) = start.addingReportingOverflow(
            duration.rescaled(to: 1_000_000_000).ticks)
        return isBeyond ? .max : end
    }

    /// Whether its texts fit into quoted strings. RFC 8216 sect. 4.2.
    var isUsable: Bool {
        [id, payload ?? ""].allSatisfy { text in
            text.utf8.allSatisfy { $0 != 10 && $0 != 13 && $0 != UInt8(ascii: "\"") }
        } && !id.isEmpty && (duration?.ticks ?? 0) >= 0
    }

    /// The range's line.
    package func rendered() -> String {
        let date = DateText.rendered(unixNanoseconds: start)
        var text = "#\(Self.tag):ID=\"\(id)\",START-DATE=\"\(date)\""
        if let duration { text += ",DURATION=\(Self.seconds(duration))" }
        if let payload { text += ",X-100MSLIVE-PAYLOAD=\"\(payload)\"" }
        return text + "\n"
    }

    /// Whole seconds are written without a fraction: some players read nothing else.
    private static func seconds(_ duration: MediaTime) -> String {
        let text = duration.decimalSeconds
        return text.hasSuffix(".000") ? String(text.dropLast(4)) : text
    }

    /// - Parameter value: of the tag. Other applications' attributes are ignored.
    init(parsing value: String?, line: Int) throws(PlaylistError) {
        guard let value else { throw .malformedTag(Self.tag, line: line) }
        let attributes = try AttributeList(value, line: line)
        guard let id = try attributes.quotedString("ID"), !id.isEmpty else {
            throw .missingAttribute("ID", line: line)
        }
        guard let date = try attributes.quotedString("START-DATE") else {
            throw .missingAttribute("START-DATE", line: line)
        }
        guard let start = DateText.parsed(date) else {
            throw .malformedAttribute("START-DATE", line: line)
        }
        self.init(
            id: id, start: start, duration: try attributes.seconds("DURATION"),
            payload: try attributes.quotedString("X-100MSLIVE-PAYLOAD"))
    }
}
