/// A point on the wall clock, in nanoseconds since 1970-01-01T00:00:00Z.
///
/// For people and other programs, and for deadlines that outlive the process: when a link expires,
/// when a delivery is tried again. `Instant` is better for measuring durations within a process.
public struct UnixTime: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// - Parameter milliseconds: of years up to 2262.
    public init(milliseconds: Int64) { nanoseconds = milliseconds * 1_000_000 }

    /// - Parameter seconds: of years up to 2262.
    public init(seconds: Int64) { nanoseconds = seconds * 1_000_000_000 }

    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    /// Whole seconds, rounded down.
    public var seconds: Int64 { whole(1_000_000_000) }

    /// Whole milliseconds, rounded down, as in 100ms' protocol and JavaScript.
    public var milliseconds: Int64 { whole(1_000_000) }

    private func whole(_ unit: Int64) -> Int64 {
        let quotient = nanoseconds / unit
        return nanoseconds % unit < 0 ? quotient - 1 : quotient
    }

    public static func < (a: UnixTime, b: UnixTime) -> Bool { a.nanoseconds < b.nanoseconds }

    public static func + (a: UnixTime, b: Duration) -> UnixTime {
        UnixTime(nanoseconds: a.nanoseconds + b.nanoseconds)
    }

    public static func - (a: UnixTime, b: Duration) -> UnixTime {
        UnixTime(nanoseconds: a.nanoseconds - b.nanoseconds)
    }

    public static func - (a: UnixTime, b: UnixTime) -> Duration {
        .nanoseconds(a.nanoseconds - b.nanoseconds)
    }

    /// RFC 3339 in UTC with nanoseconds, e.g. `2023-03-22T04:24:10.155978231Z`.
    public var description: String {
        let civil = CivilTime(unixNanoseconds: nanoseconds)
        return "\(civil.date)T\(civil.time).\(paddedDecimal(civil.nanosecond, digits: 9))Z"
    }
}
