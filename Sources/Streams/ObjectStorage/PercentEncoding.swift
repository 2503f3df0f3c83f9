import MediaKernel

/// AWS' variant of RFC 3986: encodes all but unreserved characters, in upper case.
enum PercentEncoding {
    /// - Parameter keepsSlashes: for a path of several components.
    static func encoded(_ text: String, keepsSlashes: Bool = false) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            if isUnreserved(byte) || keepsSlashes && byte == UInt8(ascii: "/") {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + Hexadecimal.text(byte, uppercase: true)
            }
        }
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
