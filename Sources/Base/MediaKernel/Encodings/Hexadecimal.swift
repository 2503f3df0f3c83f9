/// Base 16, two digits a byte. Written in lower case by default; read in either case.
public enum Hexadecimal {
    /// - Parameter separator: between bytes, such as the colons of a fingerprint.
    public static func text(
        _ bytes: some Sequence<UInt8>, uppercase: Bool = false, separator: String = ""
    ) -> String {
        bytes.map { text($0, uppercase: uppercase) }.joined(separator: separator)
    }

    /// As many digits as the type can hold: four for a `UInt16`.
    public static func text<Value: FixedWidthInteger & UnsignedInteger>(
        _ value: Value, uppercase: Bool = false
    ) -> String {
        let digits = String(value, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: Value.bitWidth / 4 - digits.utf8.count) + digits
    }

    /// Nil for other characters or an odd number of digits.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let values = text.utf8.compactMap { value($0) }
        guard values.count.isMultiple(of: 2), values.count == text.utf8.count else { return nil }
        return stride(from: 0, to: values.count, by: 2).map {
            values[$0] << 4 | values[$0 + 1]
        }
    }

    /// 0 to 15; nil for other characters.
    public static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// A new id: 24 digits, as in 100ms.
    public static func identifier() -> String {
        var random = SystemRandomNumberGenerator()
        return identifier(using: &random)
    }

    public static func identifier(using random: inout some RandomNumberGenerator) -> String {
        text((0..<12).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
}
