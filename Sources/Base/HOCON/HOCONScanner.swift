/// Reads the bytes of one text from front to back, and knows where it is.
struct HOCONScanner {
    private let bytes: [UInt8]
    private let source: String
    private var index = 0
    private var line = 1
    private var column = 1

    init(_ text: String, source: String) {
        bytes = Array(text.utf8)
        self.source = source
    }

    var place: HOCONPlace { HOCONPlace(source: source, line: line, column: column) }

    /// The byte that comes next; nil at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    func fault(_ what: String) -> HOCONFault { HOCONFault(what, at: place) }

    /// What comes next, for people.
    var found: String {
        guard let next else { return "the end of the file" }
        if next == UInt8(ascii: "\n") { return "the end of the line" }
        let character = String(decoding: bytes[index...].prefix(4), as: UTF8.self).first
        return "'\(character.map { String($0) } ?? "")'"
    }

    func starts(with text: String, after offset: Int = 0) -> Bool {
        bytes[min(index + offset, bytes.count)...].starts(with: text.utf8)
    }

    mutating func advance() {
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "\n") {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
    }

    mutating func advance(_ count: Int) { for _ in 0..<count { advance() } }

    /// Takes a text if it comes next.
    mutating func take(_ text: String) -> Bool {
        guard starts(with: text) else { return false }
        advance(text.utf8.count)
        return true
    }

    // MARK: - Blanks

    /// The length of a space that ends no line, at an offset; 0 if none is there.
    private func blank(at offset: Int = 0) -> Int {
        guard index + offset < bytes.count else { return 0 }
        switch bytes[index + offset] {
        case 0x20, 0x09, 0x0B, 0x0C, 0x0D: return 1
        case 0xC2 where starts(with: "\u{A0}", after: offset): return 2
        case 0xEF where starts(with: "\u{FEFF}", after: offset): return 3
        default: return 0
        }
    }

    /// Takes spaces within a line.
    @discardableResult mutating func blanks() -> String {
        let start = index
        while blank() > 0 { advance(blank()) }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    var isAtComment: Bool { next == UInt8(ascii: "#") || starts(with: "//") }

    /// Takes spaces and a comment, up to the end of the line.
    mutating func restOfLine() {
        blanks()
        guard isAtComment else { return }
        while let byte = next, byte != UInt8(ascii: "\n") { advance() }
    }

    /// Takes spaces, comments and ends of lines.
    mutating func lines() {
        restOfLine()
        while next == UInt8(ascii: "\n") {
            advance()
            restOfLine()
        }
    }

    /// Whether `include` comes next with what it includes, and is not the name of a key.
    var isAtInclude: Bool {
        guard starts(with: "include") else { return false }
        var offset = "include".utf8.count
        guard blank(at: offset) > 0 else { return false }
        while blank(at: offset) > 0 { offset += blank(at: offset) }
        return ["\"", "file(", "required(", "url(", "classpath("]
            .contains { starts(with: $0, after: offset) }
    }

    // MARK: - Texts

    private static let reserved = Set("$\"{}[]:=,+#`^?!@*&\\\n".utf8)

    /// Whether a text without quotes goes on.
    private var isUnquoted: Bool {
        guard let next, !Self.reserved.contains(next), blank() == 0 else { return false }
        return !starts(with: "//")
    }

    /// A text without quotes, up to a space or a reserved character.
    mutating func unquoted(upTo end: UInt8? = nil) -> String {
        let start = index
        while isUnquoted, next != end { advance() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// A text in quotes, or in three of them. Its first quote comes next.
    mutating func quoted() throws(HOCONFault) -> String {
        let start = place
        if take("\"\"\"") { return try raw(from: start) }
        advance()
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                advance()
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escaped()).utf8)
            case 0..<0x20:
                throw HOCONFault("a text whose quote is not closed on its line", at: start)
            default:
                text.append(byte)
                advance()
            }
        }
        throw HOCONFault("a text whose quote is not closed", at: start)
    }

    private mutating func raw(from start: HOCONPlace) throws(HOCONFault) -> String {
        let first = index
        while next != nil {
            // Of more than three quotes, the first ones belong to the text.
            if starts(with: "\"\"\""), !starts(with: "\"", after: 3) {
                let text = String(decoding: bytes[first..<index], as: UTF8.self)
                advance(3)
                return text
            }
            advance()
        }
        throw HOCONFault("a text whose three quotes are not closed", at: start)
    }

    private mutating func escaped() throws(HOCONFault) -> Unicode.Scalar {
        let start = place
        advance()
        guard let letter = next else { throw HOCONFault("a '\\' at the end", at: start) }
        advance()
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var value = try digits(from: start)
            if 0xD800..<0xDC00 ~= value, take("\\u") {
                let low = try digits(from: start)
                guard 0xDC00..<0xE000 ~= low else { break }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            if let scalar = Unicode.Scalar(value) { return scalar }
        default: break
        }
        throw HOCONFault("a '\\' that stands for no character", at: start)
    }

    private mutating func digits(from start: HOCONPlace) throws(HOCONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw HOCONFault("a '\\u' without four digits", at: start)
            }
            value = value << 4 | UInt32(digit)
            advance()
        }
        return value
    }
}
