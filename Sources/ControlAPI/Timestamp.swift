#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A point of wall-clock time, in nanoseconds since 1970-01-01T00:00:00Z.
///
/// For what is shown to people and written into tokens; durations are measured with `Instant`.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public init(seconds: Int64) { nanoseconds = seconds * 1_000_000_000 }

    /// Reads the system's clock. Only the shells at the edge call this.
    public static func now() -> Timestamp {
        let seconds = Date().timeIntervalSince1970
        return Timestamp(nanoseconds: Int64(seconds * 1e9))
    }

    public var seconds: Int64 { Int64((Double(nanoseconds) / 1e9).rounded(.down)) }
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }

    public func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(
            nanoseconds: nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// RFC 3339 in UTC with nanoseconds, e.g. `2023-03-22T04:24:10.155978231Z`.
    public var description: String {
        var fraction = nanoseconds % 1_000_000_000
        var whole = nanoseconds / 1_000_000_000
        if fraction < 0 {
            fraction += 1_000_000_000
            whole -= 1
        }
        var secondOfDay = whole % 86_400
        var day = whole / 86_400
        if secondOfDay < 0 {
            secondOfDay += 86_400
            day -= 1
        }
        let (year, month, dayOfMonth) = Self.civil(daysSinceEpoch: day)
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(dayOfMonth, 2))"
        let hour = Self.padded(secondOfDay / 3600, 2)
        let minute = Self.padded(secondOfDay / 60 % 60, 2)
        let second = Self.padded(secondOfDay % 60, 2)
        return "\(date)T\(hour):\(minute):\(second).\(Self.padded(fraction, 9))Z"
    }

    /// The proleptic Gregorian date of a day number, counted in eras of 400 years that begin in
    /// March, so that the leap day comes last.
    private static func civil(daysSinceEpoch: Int64) -> (Int64, Int64, Int64) {
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, day)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
