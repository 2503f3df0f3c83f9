/// A packet's sequence number across all streams of one transport, for congestion control.
/// draft-holmer-rmcat-transport-wide-cc-extensions-01 sect. 2.
public struct TransportSequence: Hashable, Sendable {
    public var rawValue: UInt16

    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// Reads an element's value; nil when it is shorter than two bytes.
    public init?(extensionBytes bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 2 else { return nil }
        rawValue = UInt16(bytes[bytes.startIndex]) << 8 | UInt16(bytes[bytes.startIndex + 1])
    }

    public var extensionBytes: [UInt8] {
        [UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)]
    }
}
