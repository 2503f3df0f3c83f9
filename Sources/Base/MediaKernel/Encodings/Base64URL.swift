/// Base 64 with the alphabet of RFC 4648 sect. 5, without padding.
public enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    public static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - group.count))
            for index in 0...group.count {
                text.append(alphabet[Int(bits >> (18 - 6 * index) & 0x3F)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for any text that `text` does not make: each sequence of bytes has exactly one text.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard let decoded = Base64Decoder(last: ("-", "_")).decode(Array(text.utf8)[...]),
            decoded.rest == 0
        else { return nil }
        return decoded.bytes
    }
}
