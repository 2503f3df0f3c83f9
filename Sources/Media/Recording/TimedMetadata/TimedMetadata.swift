public import HLS
import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An application's message to players at a point of the stream, in 100ms' form.
public struct TimedMetadata: Hashable, Sendable, Codable {
    /// The most entries of a stream: as many as a playlist can list.
    public static let perStreamMaximum = MediaPlaylist.dateRangesMaximum

    /// Counted over the stream's life.
    public var number: Int
    /// The time of the request, in milliseconds since 1970.
    public var start: Int64
    public var seconds: Int
    /// The application's own text.
    public var payload: String

    enum CodingKeys: String, CodingKey {
        case number
        case start = "start_ms"
        case seconds, payload
    }

    public init(number: Int, start: Int64, seconds: Int, payload: String) {
        self.number = number
        self.start = start
        self.seconds = seconds
        self.payload = payload
    }

    /// Whether its times and everything computed from them are valid: up to the year 2248, and for
    /// half a year. A person may have edited the log.
    var isUsable: Bool { (0...1 << 43).contains(start) && (0...1 << 24).contains(seconds) }

    /// The playlist's entry.
    public var dateRange: DateRange {
        DateRange(
            id: String(number), start: start * 1_000_000,
            duration: MediaTime(ticks: Int64(seconds), timescale: 1),
            payload: Data(envelope.utf8).base64EncodedString())
    }

    /// The payload in the form that 100ms' players expect. In ASCII, since they decode it with
    /// `atob`, and of a length whose base64 needs no padding, since some split attributes at each
    /// `=`.
    private var envelope: String {
        let text = """
            {"payload":"\(Self.escaped(payload))","start_date":"\(Self.date(start))",\
            "end_date":"\(Self.date(start + Int64(seconds) * 1000))","hms_version":"v1.1"
            """
        return text + String(repeating: " ", count: (3 - (text.utf8.count + 1) % 3) % 3) + "}"
    }

    private static func escaped(_ text: String) -> String {
        text.utf16.reduce(into: "") { escaped, unit in
            switch unit {
            case 0x22: escaped += "\\\""
            case 0x5C: escaped += "\\\\"
            case 0x20..<0x7F: escaped.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default: escaped += "\\u" + Hexadecimal.text(unit)
            }
        }
    }

    /// In 100ms' notation of the time zone.
    private static func date(_ milliseconds: Int64) -> String {
        String(DateText.rendered(unixNanoseconds: milliseconds * 1_000_000).dropLast()) + "+0000"
    }
}
