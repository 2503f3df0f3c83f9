/// A UTC date and time as EXT-X-PROGRAM-DATE-TIME carries it: ISO 8601, milliseconds.
/// RFC 8216 sect. 4.3.2.6.
public enum DateText {
    static let millisecond: Int64 = 1_000_000
    private static let second: Int64 = 1_000_000_000
    private static let daySeconds: Int64 = 86_400

    /// Renders nanoseconds since 1970, rounded down to the millisecond: `2026-02-03T04:05:06.789Z`.
    public static func rendered(unixNanoseconds: Int64) -> String {
        let milliseconds = floorDivide(unixNanoseconds, by: millisecond)
        let seconds = floorDivide(milliseconds, by: 1000)
        let days = floorDivide(seconds, by: daySeconds)
        let (year, month, day) = civil(days: days)
        let rest = seconds - days * daySeconds
        func two(_ value: Int64) -> String { paddedDecimal(value, digits: 2) }
        let date = "\(paddedDecimal(year, digits: 4))-\(two(month))-\(two(day))"
        let time = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
        return "\(date)T\(time).\(paddedDecimal(milliseconds - seconds * 1000, digits: 3))Z"
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.f…](Z|±HH:MM|±HHMM|±HH)` into nanoseconds since 1970.
    /// Years from 1970 to 2199, so that every result fits.
    static func parsed(_ text: some StringProtocol) -> Int64? {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
            scanner.skip("-"), let day = scanner.number(2), scanner.skip("T") || scanner.skip("t"),
            let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2),
            scanner.skip(":"), let whole = scanner.number(2),
            (1970...2199).contains(year), (1...12).contains(month),
            (1...daysIn(month: month, year: year)).contains(day),
            // 60 is a leap second; it counts as the first second of the next minute.
            hour < 24, minute < 60, whole <= 60
        else { return nil }
        var fraction: Int64 = 0
        if scanner.skip(".") || scanner.skip(",") {
            guard let value = scanner.nanoseconds() else { return nil }
            fraction = value
        }
        guard let offset = scanner.zoneSeconds(), scanner.isAtEnd else { return nil }
        let ofDay = hour * 3600 + minute * 60 + whole
        let seconds = days(year: year, month: month, day: day) * daySeconds + ofDay - offset
        return seconds * second + fraction
    }

    private static func floorDivide(_ value: Int64, by divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func daysIn(month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // Years are counted from March, so that the leap day is the last of its year; the Gregorian
    // calendar repeats every 400 years of 146,097 days.

    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        // 719,468 days lie between 0000-03-01 and 1970-01-01.
        return shifted * 365 + leapDays + dayOfYear - 719_468
    }

    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let fromMarchZero = days + 719_468
        let cycle = floorDivide(fromMarchZero, by: 146_097)
        let dayOfCycle = fromMarchZero - cycle * 146_097
        // The days of whole leap cycles are taken out before dividing by a common year.
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        return (year, month, day)
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position == bytes.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, UInt32(bytes[position]) == character.value else {
                return false
            }
            position += 1
            return true
        }

        mutating func number(_ digits: Int) -> Int64? {
            guard bytes.count - position >= digits else { return nil }
            let slice = bytes[position..<(position + digits)]
            guard slice.allSatisfy(isDigit) else { return nil }
            position += digits
            return slice.reduce(0) { $0 * 10 + Int64($1 - 48) }
        }

        /// The digits of a fraction; those finer than a nanosecond are cut.
        mutating func nanoseconds() -> Int64? {
            var value: Int64 = 0
            var count = 0
            while position < bytes.count, isDigit(bytes[position]) {
                if count < 9 { value = value * 10 + Int64(bytes[position] - 48) }
                count += 1
                position += 1
            }
            guard count > 0 else { return nil }
            for _ in min(count, 9)..<9 { value *= 10 }
            return value
        }

        mutating func zoneSeconds() -> Int64? {
            if skip("Z") || skip("z") { return 0 }
            let isEast = skip("+")
            guard isEast || skip("-"), let hours = number(2), hours < 24 else { return nil }
            _ = skip(":")
            let minutes = isAtEnd ? 0 : number(2)
            guard let minutes, minutes < 60 else { return nil }
            let seconds = hours * 3600 + minutes * 60
            return isEast ? seconds : -seconds
        }
    }
}
