/// The seven-bit number that SDP ties to a codec. RFC 3550 sect. 5.1.
public struct PayloadType: Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt8

    /// Keeps the low seven bits.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue & 0x7F }

    public var description: String { String(rawValue) }
}
