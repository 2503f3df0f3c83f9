public import MediaKernel

/// When a packet left its sender: seconds as 6.18 fixed point, so it wraps every 64 s.
public struct AbsoluteSendTime: Hashable, Sendable {
    /// 24 bits.
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue & 0xFF_FFFF }

    public init(_ instant: Instant) {
        // Reduced to the 64 s of the format first, so that the shift cannot overflow.
        let period: Int64 = 64_000_000_000
        let nanoseconds = ((instant.nanoseconds % period) + period) % period
        self.init(rawValue: UInt32(truncatingIfNeeded: (nanoseconds << 18) / 1_000_000_000))
    }

    /// Reads an element's value; nil when it is shorter than three bytes.
    public init?(extensionBytes bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 3 else { return nil }
        self.init(rawValue: bytes.prefix(3).reduce(0) { $0 << 8 | UInt32($1) })
    }

    public var extensionBytes: [UInt8] {
        [UInt8(rawValue >> 16), UInt8(rawValue >> 8 & 0xFF), UInt8(rawValue & 0xFF)]
    }
}
