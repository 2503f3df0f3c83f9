/// A string that identifies one kind of thing. `Tag` keeps the kinds apart at compile time.
public struct Identifier<Tag>: Hashable, Sendable, Comparable, ExpressibleByStringLiteral,
    CustomStringConvertible, Codable
{
    public var rawValue: String

    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    public var description: String { rawValue }
}

public enum RoomTag {}
public enum SessionTag {}
public enum PeerTag {}
public enum TrackTag {}
public enum StreamTag {}

/// Names a room for ever.
public typealias RoomID = Identifier<RoomTag>
/// Names one occupancy of a room, from the first join to the last leave.
public typealias SessionID = Identifier<SessionTag>
/// Names a participant for as long as it is in the room, reconnections included.
public typealias PeerID = Identifier<PeerTag>
/// Names one published audio or video; the second token of the publisher's SDP `msid`.
public typealias TrackID = Identifier<TrackTag>
/// Names one live stream.
public typealias StreamID = Identifier<StreamTag>

extension RoomID {
    public static let charactersMaximum = 64

    /// Whether it is `[A-Za-z0-9_-]{1,64}`: room ids are used in paths and as directory names.
    public static func isValid(_ text: some StringProtocol) -> Bool {
        (1...charactersMaximum).contains(text.utf8.count)
            && text.utf8.allSatisfy(\.isWord)
    }
}

extension UInt8 {
    /// Whether it is ASCII of `[A-Za-z0-9_-]`.
    public var isWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
