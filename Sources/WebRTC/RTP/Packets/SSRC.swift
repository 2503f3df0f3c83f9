/// Names one RTP stream within a session: the synchronisation source. RFC 3550 sect. 3.
public struct SSRC: Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt32

    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    public var description: String { String(rawValue) }
}
