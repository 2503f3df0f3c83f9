/// AWS' form of RFC 3986: everything but unreserved characters, in upper case.
enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// - Parameter keepsSlashes: for a path of several components.
    static func encoded(_ text: String, keepsSlashes: Bool = false) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) || keepsSlashes && byte == UInt8(ascii: "/") {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
