import MediaKernel

/// A UTC date and time as in EXT-X-PROGRAM-DATE-TIME: ISO 8601, milliseconds. RFC 8216 sect.
/// 4.3.2.6.
public enum DateText {
    static let millisecond: Int64 = 1_000_000
    private static let second: Int64 = 1_000_000_000
    private static let daySeconds: Int64 = 86_400

    /// Renders nanoseconds since 1970, rounded down to the millisecond: `2026-02-03T04:05:06.789Z`.
    public static func rendered(unixNanoseconds: Int64) -> String {
        let civil = CivilTime(unixNanoseconds: unixNanoseconds)
        let milliseconds = paddedDecimal(civil.nanosecond / millisecond, digits: 3)
        return "\(civil.date)T\(civil.time).\(milliseconds)Z"
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.f…](Z|±HH:MM|±HHMM|±HH)` into nanoseconds since 1970. Only years
    /// from 1970 to 2199, so that every result fits.
    public static func parsed(_ text: some StringProtocol) -> Int64? {
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
        let days = CivilTime.days(year: year, month: month, day: day)
        let seconds = days * daySeconds + ofDay - offset
        return seconds * second + fraction
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

        /// The digits of a fraction; digits beyond nanoseconds are cut.
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
