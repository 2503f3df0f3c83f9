/// Converts digits of base 64 to bytes. The alphabets of RFC 4648 differ in their last two digits.
struct Base64Decoder {
    private let last: (UInt8, UInt8)

    /// - Parameter last: the digits for 62 and 63.
    init(last: (Character, Character)) {
        self.last = (last.0.asciiValue ?? 0, last.1.asciiValue ?? 0)
    }

    /// - Parameter digits: without padding.
    /// - Returns: nil for other characters and for an impossible length. `rest` has the bits after
    ///   the last byte, which encoders leave at 0.
    func decode(_ digits: ArraySlice<UInt8>) -> (bytes: [UInt8], rest: UInt32)? {
        guard digits.count % 4 != 1 else { return nil }
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
        return (bytes, bits & (1 << count - 1))
    }

    private func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case last.0: 62
        case last.1: 63
        default: nil
        }
    }
}
