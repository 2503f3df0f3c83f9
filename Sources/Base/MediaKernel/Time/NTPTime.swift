/// A wall-clock time in RTCP's form: 32.32 fixed point, seconds since 1900-01-01 UTC. RFC 3550
/// sect. 4.
public struct NTPTime: Hashable, Comparable, Sendable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Seconds between the NTP era (1900) and the Unix epoch (1970).
    public static let unixEpochSeconds: UInt64 = 2_208_988_800

    public init(unixNanoseconds: Int64) {
        let seconds = unixNanoseconds / 1_000_000_000
        let rest = UInt64(unixNanoseconds % 1_000_000_000)
        rawValue = (UInt64(seconds) + Self.unixEpochSeconds) << 32 | (rest << 32) / 1_000_000_000
    }

    /// Nanoseconds since the NTP era, for differences; wraps in the year 2036 like the format.
    public var nanoseconds: Int64 {
        let fraction = ((rawValue & 0xFFFF_FFFF) * 1_000_000_000) >> 32
        return Int64(rawValue >> 32) * 1_000_000_000 + Int64(fraction)
    }

    /// This time and some more, of less than a second.
    public func advanced(byNanoseconds nanoseconds: UInt32) -> NTPTime {
        NTPTime(rawValue: rawValue &+ (UInt64(nanoseconds) << 32) / 1_000_000_000)
    }

    /// The middle 32 bits, as carried in LSR of a reception report.
    public var middle: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }

    public static func < (a: NTPTime, b: NTPTime) -> Bool { a.rawValue < b.rawValue }
}
