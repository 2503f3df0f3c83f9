/// The characters of XML 1.0 (fifth edition), sect. 2.2 and 2.3.
enum XMLCharacters {
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// A name without a colon, as namespaces demand.
    static func isName(_ text: Substring) -> Bool {
        guard let first = text.unicodeScalars.first, startsName(first) else { return false }
        return text.unicodeScalars.allSatisfy { startsName($0) || continuesName($0) }
    }

    private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x41...0x5A, 0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D,
            0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF,
            0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        default: false
        }
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: false
        }
    }

    /// Text with its references resolved and its ends of lines as line feeds (sect. 2.11).
    ///
    /// - Parameter inAttribute: spaces of any kind become blanks (sect. 3.3.3).
    static func text(_ bytes: ArraySlice<UInt8>, inAttribute: Bool) throws(XMLFault) -> String {
        let raw = try string(bytes)
        guard bytes.contains(where: { $0 == UInt8(ascii: "&") || $0 < 0x20 }) else { return raw }
        var text = String.UnicodeScalarView()
        var rest = raw.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "&": text.append(try reference(&rest))
            case "\r":
                if rest.first == "\n" { rest.removeFirst() }
                text.append(inAttribute ? " " : "\n")
            case "\n", "\t": text.append(inAttribute ? " " : scalar)
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// Text without references, as in CDATA.
    static func plain(_ bytes: ArraySlice<UInt8>) throws(XMLFault) -> String {
        let raw = try string(bytes)
        guard bytes.contains(0x0D) else { return raw }
        var text = String.UnicodeScalarView()
        var follows = false
        for scalar in raw.unicodeScalars {
            if !(follows && scalar == "\n") { text.append(scalar == "\r" ? "\n" : scalar) }
            follows = scalar == "\r"
        }
        return String(text)
    }

    static func string(_ bytes: ArraySlice<UInt8>) throws(XMLFault) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .notWellFormed("bytes that are not UTF-8")
        }
        guard text.unicodeScalars.allSatisfy(isAllowed) else {
            throw .notWellFormed("a character that XML excludes")
        }
        return text
    }

    /// What follows an ampersand.
    private static func reference(
        _ rest: inout Substring.UnicodeScalarView
    ) throws(XMLFault) -> Unicode.Scalar {
        // The longest that may be is "#x10FFFF", with a few zeros more.
        let name = String(rest.prefix(16).prefix { $0 != ";" })
        rest = rest.dropFirst(name.unicodeScalars.count)
        guard rest.popFirst() == ";" else { throw .notWellFormed("an '&' without its ';'") }
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { throw .restrictedXML("a reference to an entity") }
        let digits = name.hasPrefix("#x") ? name.dropFirst(2) : name.dropFirst()
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let value = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10),
            let scalar = Unicode.Scalar(value), isAllowed(scalar)
        else { throw .notWellFormed("a reference to no character") }
        return scalar
    }
}
