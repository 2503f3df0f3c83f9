/// Base 64 with the alphabet of RFC 4648 sect. 4.
public enum Base64 {
    /// Nil for what has other characters, padding elsewhere than at its end, or a length that no number
    /// of bytes has. The padding may be missing.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var digits = Array(text.utf8)[...]
        var padding = 0
        while digits.last == UInt8(ascii: "=") {
            digits = digits.dropLast()
            padding += 1
        }
        let rest = digits.count % 4
        guard rest != 1, padding == 0 || rest > 1 && padding == 4 - rest else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var (bits, count) = (UInt32(0), 0)
        for digit in digits {
            guard let value = value(digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
