import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes a token's JSON so that its base64url has neither `-` nor `_`, and so is also base64.
///
/// 100ms' web SDK reads a token's claims with plain `atob`, which accepts neither character and
/// takes bytes for Latin-1. Both characters are six bits that begin with five ones. In three bytes
/// below 0x80, the first three groups of six never begin so: each has the highest bit of a byte
/// among its first five. The fourth is the end of the third byte, and begins so in `>`, `?`, `~`
/// and DEL. So these characters, and all that are not ASCII, are escaped (RFC 8259 sect. 7); in
/// JSON they only occur in strings.
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
