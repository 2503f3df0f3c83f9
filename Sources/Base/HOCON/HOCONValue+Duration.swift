extension HOCONValue {
    /// A number with a unit, such as `3 minutes` or `500ms`; a bare number is in milliseconds. Nil
    /// for anything else, and beyond a thousand years.
    public var duration: Duration? {
        guard let text else { return nil }
        let blanks: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let trimmed = text.drop(while: blanks)
        let number = trimmed.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        var unit = trimmed.dropFirst(number.count).drop(while: blanks)
        while let last = unit.last, blanks(last) { unit.removeLast() }
        guard let value = Double(number), let scale = Self.seconds[String(unit)],
            abs(value * scale) <= 1000 * 366 * 86_400
        else { return nil }
        // Whole numbers stay exact.
        if let whole = Int64(number) {
            return scale >= 1 ? .seconds(whole * Int64(scale)) : Self.fine(whole, scale)
        }
        return .seconds(value * scale)
    }

    private static func fine(_ value: Int64, _ scale: Double) -> Duration {
        switch scale {
        case 1e-3: .milliseconds(value)
        case 1e-6: .microseconds(value)
        default: .nanoseconds(value)
        }
    }

    private static let seconds: [String: Double] = {
        var units = ["": 1e-3]
        for (scale, names) in [
            (1e-9, ["ns", "nano", "nanos", "nanosecond", "nanoseconds"]),
            (1e-6, ["us", "micro", "micros", "microsecond", "microseconds"]),
            (1e-3, ["ms", "milli", "millis", "millisecond", "milliseconds"]),
            (1, ["s", "second", "seconds"]), (60, ["m", "minute", "minutes"]),
            (3600, ["h", "hour", "hours"]), (86_400, ["d", "day", "days"]),
        ] {
            for name in names { units[name] = scale }
        }
        return units
    }()
}
