/// Base 64 with the alphabet of RFC 4648 sect. 4.
public enum Base64 {
    /// Nil for a text with other characters, with padding before its end, or of an impossible
    /// length. The padding may be missing.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var digits = Array(text.utf8)[...]
        var padding = 0
        while digits.last == UInt8(ascii: "=") {
            digits = digits.dropLast()
            padding += 1
        }
        let rest = digits.count % 4
        guard padding == 0 || rest > 1 && padding == 4 - rest else { return nil }
        return Base64Decoder(last: ("+", "/")).decode(digits)?.bytes
    }
}
