/// Writes JSON without spaces. RFC 8259.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// The members of objects in the order of their names, so that equal values are equal texts.
    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .integer(let value): bytes += String(value).utf8
        case .number(let value): write(value)
        case .string(let value): write(string: value)
        case .array(let values): list("[", values, "]") { $0.write($1) }
        case .object(let members):
            list("{", members.sorted { $0.key < $1.key }, "}") { writer, member in
                writer.write(name: member.key)
                writer.write(member.value)
            }
        }
    }

    /// - Parameter write: writes one of the items.
    public mutating func list<Item>(
        _ opening: StaticString, _ items: [Item], _ closing: StaticString,
        write: (inout JSONWriter, Item) -> Void
    ) {
        self.write(opening)
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(&self, item)
        }
        self.write(closing)
    }

    /// The name of a member, which its value follows.
    public mutating func write(name: String) {
        write(string: name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func write(_ text: StaticString) { text.withUTF8Buffer { bytes += $0 } }

    /// JSON has no infinities; null stands for what is no number.
    private mutating func write(_ value: Double) {
        guard value.isFinite else { return write("null") }
        let text = value.description
        bytes += (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8
    }

    private mutating func write(string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            let isPlain = text.allSatisfy {
                $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            if isPlain {
                bytes += text
            } else {
                for byte in text { write(character: byte) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Only what must be is escaped. Sect. 7.
    private mutating func write(character byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write("\\\"")
        case UInt8(ascii: "\\"): write("\\\\")
        case 0x08: write("\\b")
        case 0x0C: write("\\f")
        case 0x0A: write("\\n")
        case 0x0D: write("\\r")
        case 0x09: write("\\t")
        case ..<0x20:
            write(byte < 0x10 ? "\\u000" : "\\u00")
            bytes += String(byte, radix: 16).utf8
        default: bytes.append(byte)
        }
    }
}
