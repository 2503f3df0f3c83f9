internal import Foundation
internal import MediaKernel

/// JSON in stanzas and on the bridge's channel. Equal values have equal bytes.
enum JitsiJSON {
    static func text(_ members: [String: JSONValue]) -> String { text(.object(members)) }

    static func text(_ value: JSONValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts, numbers and flags always encode.
        return (try? encoder.encode(value))
            .map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// The members of an object.
    static func members(
        _ text: String, _ limits: JSONLimits, bytes: Int, of what: String
    ) throws(JitsiFault) -> [String: JSONValue] {
        guard text.utf8.count <= bytes else { throw .tooMany("bytes of \(what)", maximum: bytes) }
        guard let value = try? JSONDocument(text, limits: limits).root.decode(JSONValue.self),
            case .object(let members) = value
        else { throw .malformed(what) }
        return members
    }
}

extension JSONValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
    var members: [String: JSONValue]? { if case .object(let all) = self { all } else { nil } }

    /// Nil for other kinds, and for numbers that do not fit.
    func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        switch self {
        case .integer(let number): Number(exactly: number)
        case .number(let number): Number(exactly: number)
        default: nil
        }
    }
}
