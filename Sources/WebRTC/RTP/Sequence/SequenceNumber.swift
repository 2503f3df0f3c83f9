/// A packet's place in its stream, modulo 65536. RFC 3550 sect. 5.1.
public struct SequenceNumber: Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt16

    /// The range for a stream's first sequence number: far enough from the wrap that a receiver
    /// which misses the first packets does not count one wrap too few and fail to decrypt the
    /// stream. RFC 3711 sect. 3.3.1.
    public static let beginnings: ClosedRange<UInt16> = 0...0x7fff

    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The low 16 bits of an extended sequence number.
    public init(extended: Int64) { rawValue = UInt16(truncatingIfNeeded: extended) }

    /// Steps from here to `other` by the shorter way round: -32768 ... 32767.
    public func distance(to other: SequenceNumber) -> Int {
        Int(Int16(bitPattern: other.rawValue &- rawValue))
    }

    public func isNewer(than other: SequenceNumber) -> Bool { other.distance(to: self) > 0 }

    public func advanced(by steps: Int) -> SequenceNumber {
        SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: steps))
    }

    public var description: String { String(rawValue) }
}
