/// One line of a session description, `<type>=<value>`. RFC 8866 sect. 5.
struct SDPLine {
    /// Counted from 1, for errors.
    let number: Int
    let type: Character
    let value: Substring

    /// Splits the text at LF, CRLF or both mixed: RFC 8866 sect. 5 asks readers for that leniency.
    /// Blank lines at the end are ignored.
    static func split(_ text: String) throws(SDPError) -> [SDPLine] {
        let utf8 = text.utf8
        guard utf8.count <= SDPLimits.descriptionBytesMaximum else {
            throw .descriptionTooLong(byteCount: utf8.count)
        }
        // The UTF-8 view, because CR LF is a single Character that equals neither.
        var raw = utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            $0.last == 0x0D ? $0.dropLast() : $0
        }
        while let last = raw.last, last.isEmpty { raw.removeLast() }
        var lines: [SDPLine] = []
        lines.reserveCapacity(raw.count)
        for (index, bytes) in raw.enumerated() {
            lines.append(try SDPLine(Substring(bytes), number: index + 1))
        }
        return lines
    }

    private init(_ text: Substring, number: Int) throws(SDPError) {
        let utf8 = text.utf8
        guard utf8.count <= SDPLimits.lineBytesMaximum else {
            throw .lineTooLong(line: number, byteCount: utf8.count)
        }
        self.number = number
        guard let type = utf8.first, (0x61...0x7A).contains(type), utf8.dropFirst().first == 0x3D
        else {
            throw .malformed(
                line: number, text: String(text), reason: "a line is <letter>=<value>")
        }
        // Rendering removes control characters, which must not turn an unknown line into a known
        // one.
        guard utf8.allSatisfy({ $0 >= 0x20 }) else {
            throw .malformed(
                line: number, text: String(text), reason: "control characters are not allowed")
        }
        self.type = Character(UnicodeScalar(type))
        value = Substring(utf8.dropFirst(2))
    }

    /// The error for refusing this line.
    func malformed(_ reason: String) -> SDPError {
        .malformed(line: number, text: "\(type)=\(value)", reason: reason)
    }

    /// The name and the value of an `a=` line.
    var attribute: (name: String, value: Substring?) {
        let (name, value) = value.divided(at: ":")
        return (String(name), value)
    }
}

/// Splits by bytes: the separators are ASCII, and splitting by Character took most of the parsing
/// time of a description with a hundred sections.
extension Substring {
    /// The space-separated words; several spaces count as one.
    var words: [Substring] { parts(at: " ", omittingEmpty: true) }

    /// The parts between the separators.
    func parts(at separator: Unicode.Scalar, omittingEmpty: Bool = false) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: omittingEmpty)
            .map { Substring($0) }
    }

    /// The text before and after the first `separator`; nothing after it when there is none.
    func divided(at separator: Unicode.Scalar) -> (head: Substring, tail: Substring?) {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return (self, nil) }
        return (Substring(utf8[..<index]), Substring(utf8[utf8.index(after: index)...]))
    }

    /// A decimal number without sign, or nil.
    func decimal<Number: FixedWidthInteger>(as type: Number.Type = Number.self) -> Number? {
        guard !isEmpty, utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Number(self)
    }

    /// Without spaces at both ends.
    var trimmed: Substring {
        var rest = utf8.drop { $0 == 0x20 }
        while rest.last == 0x20 { rest.removeLast() }
        return Substring(rest)
    }
}
