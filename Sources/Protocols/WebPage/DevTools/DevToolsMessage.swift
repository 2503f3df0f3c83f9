import Foundation
import MediaKernel

/// A message of the browser: Chrome DevTools Protocol 1.3.
enum DevToolsMessage: Hashable, Sendable {
    /// The answer to a command of ours.
    case result(id: Int64, JSONValue)
    case refusal(id: Int64, String)
    case event(DevToolsEvent)

    /// Pages nest values in console messages, and the browser's own messages around them.
    static let limits = JSONLimits(depth: 64, nodes: 1 << 14)

    /// Nil for anything else, which is ignored.
    init?(_ bytes: [UInt8]) {
        guard
            case .object(let fields)? = try? JSONDocument.decode(
                JSONValue.self, from: bytes, limits: Self.limits)
        else { return nil }
        if case .integer(let id)? = fields["id"] {
            if let error = fields["error"] {
                self = .refusal(id: id, error["message"]?.text ?? "no reason given")
            } else {
                self = .result(id: id, fields["result"] ?? .object([:]))
            }
        } else if let method = fields["method"]?.text {
            self = .event(
                DevToolsEvent(
                    method: method, session: fields["sessionId"]?.text,
                    parameters: fields["params"] ?? .object([:])))
        } else {
            return nil
        }
    }

    /// The bytes of a command, with its zero byte.
    static func command(
        id: Int64, _ method: String, _ parameters: [String: JSONValue], session: String?
    ) -> [UInt8] {
        var fields: [String: JSONValue] = [
            "id": .integer(id), "method": .string(method), "params": .object(parameters),
        ]
        if let session { fields["sessionId"] = .string(session) }
        let encoded = (try? JSONEncoder().encode(JSONValue.object(fields))) ?? Data()
        return Array(encoded) + [0]
    }
}

/// Something that has happened in the browser.
struct DevToolsEvent: Hashable, Sendable {
    var method: String
    /// The tab's session; nil for the browser's own.
    var session: String?
    var parameters: JSONValue
}

extension JSONValue {
    /// A member of an object.
    subscript(name: String) -> JSONValue? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var list: [JSONValue] { if case .array(let values) = self { values } else { [] } }
    var whole: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value.rounded())
        default: nil
        }
    }
}
