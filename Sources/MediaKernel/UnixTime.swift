/// A point on the wall clock, in nanoseconds since 1970-01-01T00:00:00Z.
///
/// For deadlines that outlive the process: when a link expires, when a delivery is tried again.
/// Where a process measures how long something takes, `Instant` does it better.
public struct UnixTime: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

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
    public var seconds: Int64 {
        let whole = nanoseconds / 1_000_000_000
        return nanoseconds % 1_000_000_000 < 0 ? whole - 1 : whole
    }

    public static func < (a: UnixTime, b: UnixTime) -> Bool { a.nanoseconds < b.nanoseconds }

    public static func + (a: UnixTime, b: Duration) -> UnixTime {
        UnixTime(nanoseconds: a.nanoseconds + b.nanoseconds)
    }

    public static func - (a: UnixTime, b: UnixTime) -> Duration {
        .nanoseconds(a.nanoseconds - b.nanoseconds)
    }

    public var description: String { "\(nanoseconds / 1_000_000) ms since 1970" }
}
