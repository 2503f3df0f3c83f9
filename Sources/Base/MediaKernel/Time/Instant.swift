/// A point on a monotonic clock, in nanoseconds since an origin that the process chose.
///
/// Every core takes time as an argument of this type; only the shells at the edge read a clock.
public struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The origin. Tests start here.
    public static let zero = Instant(nanoseconds: 0)

    /// Later than every instant a clock can show. Useful as the identity of `min`.
    public static let distantFuture = Instant(nanoseconds: .max)

    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

    public static func + (a: Instant, b: Duration) -> Instant {
        Instant(nanoseconds: a.nanoseconds + b.nanoseconds)
    }

    public static func - (a: Instant, b: Duration) -> Instant {
        Instant(nanoseconds: a.nanoseconds - b.nanoseconds)
    }

    public static func - (a: Instant, b: Instant) -> Duration {
        .nanoseconds(a.nanoseconds - b.nanoseconds)
    }

    public static func += (a: inout Instant, b: Duration) { a = a + b }

    /// The earlier of two instants; nil means never.
    public static func earlier(_ a: Instant?, _ b: Instant?) -> Instant? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }

    public var description: String { "\(Double(nanoseconds) / 1e9)s" }
}

extension Duration {
    /// The absolute value.
    public var magnitude: Duration { self < .zero ? .zero - self : self }

    /// Whole nanoseconds, rounded towards zero; durations beyond 292 years are clamped.
    public var nanoseconds: Int64 {
        // Up to 9 s, divides one word; dividing two takes ten times as long.
        if let attoseconds = Int64(exactly: self.attoseconds) {
            return attoseconds / 1_000_000_000
        }
        let (seconds, attoseconds) = components
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLargeNow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLarge || isTooLargeNow ? (seconds < 0 ? .min : .max) : sum
    }

    /// Whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// Seconds as a floating-point number.
    public var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
