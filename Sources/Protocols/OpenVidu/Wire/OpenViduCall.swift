internal import MediaKernel

/// The id of a call: a number, or a text with old apps for iOS.
enum CallID: Hashable, Sendable {
    case number(Int64)
    case text(String)

    /// Nil for any other value.
    init?(_ element: JSONElement) {
        if let number = try? element.decode(Int64.self) {
            self = .number(number)
        } else if let text = try? element.decode(String.self), text.utf8.count <= 64 {
            self = .text(text)
        } else {
            return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .number(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }
}

/// One frame of a client.
struct OpenViduCall {
    /// Nil for a notification, which gets no answer.
    let id: CallID?
    let method: String
    let parameters: CallParameters

    /// - Throws: ``OpenViduError/malformed`` for text that is no call.
    init(_ text: String) throws(OpenViduError) {
        let root: JSONElement
        do {
            root = try JSONDocument(text, limits: .frame).root
        } catch {
            throw .malformed
        }
        guard let name = root.member("method"), let method = try? name.decode(String.self) else {
            throw .malformed
        }
        self.method = method
        id = root.member("id").flatMap { CallID($0) }
        parameters = CallParameters(root.member("params"))
    }
}

/// The parameters of a call or a notification, or the result of a call. Old apps send numbers and
/// flags as texts.
struct CallParameters {
    private let element: JSONElement?

    init(_ element: JSONElement?) { self.element = element }

    /// - Parameter maximum: in bytes of UTF-8.
    /// - Returns: nil if it is missing or null.
    func optionalText(_ name: String, maximum: Int) throws(OpenViduError) -> String? {
        guard let member = member(name) else { return nil }
        guard let text = try? member.decode(String.self) else {
            throw .badParameter(name, "must be a text")
        }
        guard text.utf8.count <= maximum else {
            throw .badParameter(
                name, "has \(text.utf8.count) bytes; at most \(maximum) are allowed")
        }
        return text
    }

    func text(_ name: String, maximum: Int) throws(OpenViduError) -> String {
        guard let text = try optionalText(name, maximum: maximum) else {
            throw .badParameter(name, "is missing")
        }
        return text
    }

    /// The name of a connection or a stream.
    func identifier(_ name: String) throws(OpenViduError) -> String {
        try text(name, maximum: OpenViduLimits.identifierBytes)
    }

    func flag(_ name: String) throws(OpenViduError) -> Bool? {
        guard let member = member(name) else { return nil }
        if let flag = try? member.decode(Bool.self) { return flag }
        switch try? member.decode(String.self) {
        case "true": return true
        case "false": return false
        default: throw .badParameter(name, "must be true or false")
        }
    }

    func number(_ name: String) throws(OpenViduError) -> Double? {
        guard let member = member(name) else { return nil }
        if let number = try? member.decode(Double.self) { return number }
        guard let text = try? member.decode(String.self), let number = Double(text),
            number.isFinite
        else { throw .badParameter(name, "must be a number") }
        return number
    }

    /// - Returns: the first `maximum` of them; nil if the member is missing or null.
    func objects(_ name: String, maximum: Int) throws(OpenViduError) -> [CallParameters]? {
        guard let member = member(name) else { return nil }
        guard let items = member.items, items.allSatisfy(\.isObject) else {
            throw .badParameter(name, "must be an array of objects")
        }
        return items.prefix(maximum).map { CallParameters($0) }
    }

    /// A value of any kind, as its JSON.
    func value(_ name: String) -> JSONValue? {
        member(name).flatMap { try? $0.decode(JSONValue.self) }
    }

    private func member(_ name: String) -> JSONElement? {
        guard let member = element?.member(name), !member.isNull else { return nil }
        return member
    }
}
