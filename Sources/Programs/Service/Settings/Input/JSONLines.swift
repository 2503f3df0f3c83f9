/// Where the values of a JSON text stand, for messages: a decoder tells no lines.
///
/// `JSONDocument` decides what is valid. Linear in the text; values nested deeper than
/// `depthMaximum` are not looked at.
struct JSONLines {
    /// Words for a person about a text that is not JSON.
    struct Fault: Error, Hashable {
        /// From 1.
        let line: Int
        let reason: String
    }

    static let depthMaximum = 32
    /// Bytes of a value that are kept.
    private static let textMaximum = 60

    struct Place: Hashable {
        /// Of the name, from 1.
        let line: Int
        /// The value as written, shortened.
        fileprivate(set) var text = ""
    }

    /// By dotted names: `http.port`.
    private(set) var places: [String: Place] = [:]
    /// Dotted names that an object has twice, with the second one's line, in the text's order.
    private(set) var repeated: [(name: String, line: Int)] = []
    /// The first one; nil for JSON.
    private(set) var fault: Fault?

    private let text: [UInt8]
    private var index = 0
    private var line = 1

    init(_ text: some Sequence<UInt8>) {
        self.text = Array(text)
        do throws(Fault) {
            try value(named: "", depth: 0)
            skipSpace()
            if let byte = next { throw fault("nothing may follow the closing brace, but \(byte)") }
        } catch {
            fault = error
        }
    }

    private struct Character: CustomStringConvertible {
        let byte: UInt8
        var description: String { byte < 0x80 ? "'\(UnicodeScalar(byte))'" : "a special character" }
    }

    private var next: Character? { index < text.count ? Character(byte: text[index]) : nil }

    private func fault(_ reason: String) -> Fault { Fault(line: line, reason: reason) }

    private mutating func skipSpace() {
        while index < text.count, [0x20, 0x09, 0x0D, 0x0A].contains(text[index]) {
            if text[index] == 0x0A { line += 1 }
            index += 1
        }
    }

    /// - Parameter name: the dotted name; nil for what is in a list and has none.
    private mutating func value(named name: String?, depth: Int) throws(Fault) {
        skipSpace()
        guard depth <= Self.depthMaximum else { throw fault("the nesting is too deep") }
        switch next?.byte {
        case UInt8(ascii: "{"): try object(named: name, depth: depth)
        case UInt8(ascii: "["): try list(depth: depth)
        case UInt8(ascii: "\""): _ = try string()
        case nil: throw fault("the text ends where a value is expected")
        default: try word()
        }
    }

    private mutating func object(named name: String?, depth: Int) throws(Fault) {
        index += 1
        var names: Set<String> = []
        skipSpace()
        if take("}") { return }
        while true {
            skipSpace()
            guard next?.byte == UInt8(ascii: "\"") else {
                if names.isEmpty || next?.byte != UInt8(ascii: "}") {
                    throw fault(
                        "a name in double quotes is expected, not \(next?.description ?? "the end")"
                    )
                }
                throw fault("there is a comma before the closing brace")
            }
            let place = line
            let key = try string()
            let isNew = names.insert(key).inserted
            let path = name.map { $0.isEmpty ? key : "\($0).\(key)" }
            if let path {
                if isNew {
                    places[path] = Place(line: place)
                } else {
                    repeated.append((path, place))
                }
            }
            skipSpace()
            guard take(":") else { throw fault("a colon is missing behind \"\(key)\"") }
            skipSpace()
            let start = index
            try value(named: path, depth: depth + 1)
            let text = shown(from: start)
            if let path { places[path]?.text = text }
            skipSpace()
            if take("}") { return }
            guard take(",") else {
                throw fault("a comma or a closing brace is missing before this")
            }
        }
    }

    private mutating func list(depth: Int) throws(Fault) {
        index += 1
        skipSpace()
        if take("]") { return }
        while true {
            skipSpace()
            if next?.byte == UInt8(ascii: "]") {
                throw fault("there is a comma before the closing bracket")
            }
            try value(named: nil, depth: depth + 1)
            skipSpace()
            if take("]") { return }
            guard take(",") else {
                throw fault("a comma or a closing bracket is missing before this")
            }
        }
    }

    private func shown(from start: Int) -> String {
        let bytes = text[start..<min(index, start + Self.textMaximum)]
        let text = String(decoding: bytes, as: UTF8.self)
        return index - start > Self.textMaximum ? text + "…" : text
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next?.byte == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// A name or text, without its quotes; escapes stay as written.
    private mutating func string() throws(Fault) -> String {
        index += 1
        let start = index
        while let byte = next?.byte {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return String(decoding: text[start..<index - 1], as: UTF8.self)
            case UInt8(ascii: "\\"): index += 2
            case 0x0A: throw fault("the closing quote is missing")
            default: index += 1
            }
        }
        throw fault("the closing quote is missing")
    }

    private static let words: Set<String> = ["true", "false", "null"]

    private mutating func word() throws(Fault) {
        let start = index
        while let byte = next?.byte, !",:]}[{\" \t\r\n".utf8.contains(byte) { index += 1 }
        let word = String(decoding: text[start..<min(index, start + 40)], as: UTF8.self)
        guard !word.isEmpty else {
            throw fault("a value is expected, not \(next?.description ?? "the end")")
        }
        if word.hasPrefix("//") || word.hasPrefix("/*") || word.hasPrefix("#") {
            throw fault("JSON has no comments")
        }
        guard Self.words.contains(word) || Double(word) != nil else {
            // Not repeated: it may be a secret.
            throw fault("this is neither a number, true nor false; a text needs double quotes")
        }
    }
}
