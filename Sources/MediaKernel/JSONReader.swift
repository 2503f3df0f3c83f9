extension JSONValue {
    /// Reads a text, in UTF-8. RFC 8259.
    ///
    /// A `Decoder` has to be asked of each value what it is not before it says what it is, which
    /// takes several times as long as to read the text.
    ///
    /// - Returns: nil for what is no JSON, or nested deeper than `depthMaximum`.
    public init?(parsing text: some Sequence<UInt8>) {
        var reader = JSONReader(bytes: Array(text))
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipSpace()
        guard reader.isAtEnd else { return nil }
        self = value
    }
}

/// Reads JSON from front to back. Whatever the bytes are, nothing is read beyond them.
private struct JSONReader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    /// - Parameter depth: of the arrays and objects around it.
    mutating func value(depth: Int) -> JSONValue? {
        guard depth <= JSONValue.depthMaximum else { return nil }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { wanted in
            guard bytes.dropFirst(position).starts(with: wanted) else { return false }
            position += wanted.count
            return true
        }
    }

    // MARK: Arrays and objects

    private mutating func array(depth: Int) -> JSONValue? {
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(values) }
        while let value = value(depth: depth + 1) {
            values.append(value)
            skipSpace()
            if take("]") { return .array(values) }
            guard take(",") else { return nil }
        }
        return nil
    }

    /// Of members with the same name the last one counts.
    private mutating func object(depth: Int) -> JSONValue? {
        position += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        while true {
            skipSpace()
            guard let name = string() else { return nil }
            skipSpace()
            guard take(":"), let value = value(depth: depth + 1) else { return nil }
            members[name] = value
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { return nil }
        }
    }

    // MARK: Strings

    private mutating func string() -> String? {
        guard next == UInt8(ascii: "\"") else { return nil }
        position += 1
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            guard byte >= 0x20 else { return nil }
            position += 1
        }
        guard next == UInt8(ascii: "\\") else {
            guard !isAtEnd else { return nil }
            position += 1
            return String(validating: bytes[start..<position - 1], as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escaped() else { return nil }
                text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            case 0x20...: text.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// What follows a backslash. Sect. 7.
    private mutating func escaped() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = codeUnit() else { return nil }
            guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
            guard take("\\u"), let trail = codeUnit(), UTF16.isTrailSurrogate(trail) else {
                return nil
            }
            return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
        default: return nil
        }
    }

    private mutating func codeUnit() -> UInt16? {
        guard bytes.count - position >= 4 else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }

    // MARK: Numbers

    /// Sect. 6. Whole numbers are integers, however they are written, as far as they fit.
    private mutating func number() -> JSONValue? {
        let start = position
        _ = take("-")
        // No other digit stands behind a leading zero.
        guard take("0") || skipDigits() else { return nil }
        var isPlain = true
        if take(".") {
            isPlain = false
            guard skipDigits() else { return nil }
        }
        if take("e") || take("E") {
            isPlain = false
            if !take("+") { _ = take("-") }
            guard skipDigits() else { return nil }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isPlain, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { return nil }
        return Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }

    /// - Returns: whether there is any.
    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }
}
