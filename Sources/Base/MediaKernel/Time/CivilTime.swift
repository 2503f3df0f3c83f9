/// A UTC time in calendar fields, in the proleptic Gregorian calendar.
///
/// For ISO 8601, RFC 3339 and Amazon's signatures.
public struct CivilTime: Hashable, Sendable {
    public var year: Int64
    /// 1 to 12.
    public var month: Int64
    /// 1 to 31.
    public var day: Int64
    public var hour: Int64
    public var minute: Int64
    public var second: Int64
    /// Of the second.
    public var nanosecond: Int64

    private static let daySeconds: Int64 = 86_400
    private static let secondNanoseconds: Int64 = 1_000_000_000
    /// The calendar repeats every 400 years.
    private static let cycleDays: Int64 = 146_097
    /// Between 0000-03-01 and 1970-01-01.
    private static let daysBefore1970: Int64 = 719_468

    /// - Parameter unixNanoseconds: since 1970-01-01T00:00:00Z, negative before it.
    public init(unixNanoseconds: Int64) {
        let seconds = Self.quotient(unixNanoseconds, Self.secondNanoseconds)
        let days = Self.quotient(seconds, Self.daySeconds)
        let ofDay = seconds - days * Self.daySeconds
        // Not computed from the seconds, whose product may overflow an `Int64`.
        let ofSecond = unixNanoseconds % Self.secondNanoseconds
        nanosecond = ofSecond < 0 ? ofSecond + Self.secondNanoseconds : ofSecond
        hour = ofDay / 3600
        minute = ofDay / 60 % 60
        second = ofDay % 60
        // Years are counted from March, so that the leap day is the last of its year.
        let shifted = days + Self.daysBefore1970
        let cycle = Self.quotient(shifted, Self.cycleDays)
        let dayOfCycle = shifted - cycle * Self.cycleDays
        // The days of whole leap cycles are removed before dividing by a common year.
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days from 1970-01-01 to a date after the year 0.
    public static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let marchMonth = (month + 9) % 12
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        return shifted * 365 + leapDays + dayOfYear - daysBefore1970
    }

    /// `2026-02-03`.
    public var date: String { "\(paddedDecimal(year, digits: 4))-\(two(month))-\(two(day))" }

    /// `04:05:06`.
    public var time: String { "\(two(hour)):\(two(minute)):\(two(second))" }

    /// `20260203`.
    public var compactDate: String { "\(paddedDecimal(year, digits: 4))\(two(month))\(two(day))" }

    /// `040506`.
    public var compactTime: String { "\(two(hour))\(two(minute))\(two(second))" }

    private func two(_ value: Int64) -> String { paddedDecimal(value, digits: 2) }

    /// Rounded down, even below 0.
    private static func quotient(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}

/// A non-negative number with leading zeros.
public func paddedDecimal(_ value: Int64, digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
