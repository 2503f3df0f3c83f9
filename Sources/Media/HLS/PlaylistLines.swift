/// The lines of a playlist's text, blank lines and comments left out. RFC 8216 sect. 4.1.
struct PlaylistLines {
    enum Content: Hashable {
        /// `#EXT…`, the name without the `#`; the value is what follows the first colon.
        case tag(name: String, value: String?)
        case uri(String)
    }

    struct Line: Hashable {
        let number: Int
        let content: Content
    }

    let lines: [Line]

    /// An EVENT playlist of a day of one-second segments is some 8 MB.
    static let bytesMaximum = 32 * 1024 * 1024
    /// Roomcast's own URIs and attribute lists are far shorter; others are seldom above 4 KiB.
    static let lineBytesMaximum = 16 * 1024

    init(_ text: String) throws(PlaylistError) {
        let byteCount = text.utf8.count
        guard byteCount <= Self.bytesMaximum else {
            throw .tooLarge(bytes: byteCount, maximum: Self.bytesMaximum)
        }
        var lines: [Line] = []
        var number = 0
        let newline = UInt8(ascii: "\n")
        for bytes in Array(text.utf8).split(separator: newline, omittingEmptySubsequences: false) {
            number += 1
            guard bytes.count <= Self.lineBytesMaximum else {
                throw .lineTooLong(
                    line: number, bytes: bytes.count, maximum: Self.lineBytesMaximum)
            }
            let line = String(
                decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes,
                as: UTF8.self)
            if number == 1 {
                guard line == "#EXTM3U" else { throw .notAPlaylist }
            } else if let content = Self.content(of: line) {
                lines.append(Line(number: number, content: content))
            }
        }
        self.lines = lines
    }

    private static func content(of line: String) -> Content? {
        if line.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
            return nil
        }
        guard line.utf8.first == UInt8(ascii: "#") else { return .uri(line) }
        guard line.hasPrefix("#EXT") else { return nil }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return .tag(name: String(line.dropFirst()), value: nil)
        }
        let name = String(decoding: line.utf8[..<colon].dropFirst(), as: UTF8.self)
        let value = String(decoding: line.utf8[colon...].dropFirst(), as: UTF8.self)
        return .tag(name: name, value: value)
    }
}
