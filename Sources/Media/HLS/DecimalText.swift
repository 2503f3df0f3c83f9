public import MediaKernel

// Numbers in the form that playlists have, without Foundation: this target does not link it, and
// the text must be the same everywhere.

extension MediaTime {
    /// Seconds rounded to the nearest whole number, at least 1: the least target duration. RFC 8216
    /// sect. 4.3.3.1. Rounds the value of `decimalSeconds`, because players round that one.
    public var wholeSeconds: Int {
        max(1, Int(rescaled(to: 1_000_000).rescaled(to: 1).ticks))
    }

    /// Seconds as a decimal with three to six digits after the point.
    package var decimalSeconds: String {
        precondition(ticks >= 0, "a segment does not last less than nothing")
        let microseconds = rescaled(to: 1_000_000).ticks
        var fraction = paddedDecimal(microseconds % 1_000_000, digits: 6)
        while fraction.utf8.count > 3, fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(microseconds / 1_000_000).\(fraction)"
    }

    /// Reads a decimal-floating-point or a decimal-integer in microseconds; finer digits are cut.
    /// Nil when it is neither, or longer than a thousand days.
    init?(decimalSeconds text: some StringProtocol) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let seconds = decimalInteger(parts[0]), seconds < 86_400_000 else { return nil }
        var microseconds: Int64 = 0
        if parts.count == 2 {
            let digits = parts[1].utf8.prefix(6)
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy(isDigit),
                let value = decimalInteger(String(decoding: digits, as: UTF8.self))
            else { return nil }
            microseconds = Int64(value)
            for _ in digits.count..<6 { microseconds *= 10 }
        }
        self.init(ticks: Int64(seconds) * 1_000_000 + microseconds, timescale: 1_000_000)
    }
}

func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

/// A decimal-integer of at most 18 digits (sums of two still fit), without sign or space.
/// RFC 8216 sect. 4.2.
func decimalInteger(_ text: some StringProtocol) -> Int? {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(isDigit) else { return nil }
    return Int(text)
}

/// A frame rate with three digits after the point, as RFC 8216 sect. 4.3.4.2 recommends.
func frameRateText(_ rate: Double) -> String {
    let thousandths = Int64((rate * 1000).rounded())
    return "\(thousandths / 1000).\(paddedDecimal(thousandths % 1000, digits: 3))"
}
