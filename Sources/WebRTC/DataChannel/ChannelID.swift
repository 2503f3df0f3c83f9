/// A data channel's number: the SCTP stream it uses in both directions (RFC 8832 sect. 6).
public struct ChannelID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16

    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "\(rawValue)" }
}

/// How hard a channel tries to deliver (RFC 8831 sect. 6.1).
public enum ChannelReliability: Hashable, Sendable {
    case reliable
    /// Gives a message up after this many retransmissions.
    case retransmissions(UInt32)
    /// Gives a message up after this many milliseconds.
    case lifetime(milliseconds: UInt32)
}
