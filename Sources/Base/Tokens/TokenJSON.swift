import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes a token's JSON so that its base64url has neither `-` nor `_`, and so is base64 too.
///
/// 100ms' web SDK reads a token's claims by `atob` alone, which knows neither character and takes
/// bytes for Latin-1. Both stand for six bits that begin with five ones. Of three bytes below 0x80,
/// the first three groups of six never do: each has the highest bit of a byte among its first five.
/// The fourth is the end of the third byte, and does in `>`, `?`, `~` and DEL. So these, and all that
/// is not ASCII, are escaped (RFC 8259 sect. 7); JSON has them in strings only.
enum TokenJSON {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        var escaped: [UInt8] = []
        for unit in text.utf16 {
            if let byte = UInt8(exactly: unit), byte < 0x80, byte & 0x3E != 0x3E {
                escaped.append(byte)
            } else {
                escaped += #"\u\#(Hexadecimal.text(unit))"#.utf8
            }
        }
        return escaped
    }
}
