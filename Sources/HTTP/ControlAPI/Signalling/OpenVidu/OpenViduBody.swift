import Hummingbird
public import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of a body whose unknown ones are ignored: clients of all versions send many.
public struct OpenViduBody: Sendable {
    private let members: [String: JSONValue]

    /// - Parameter value: anything but an object has no fields.
    public init(_ value: JSONValue) {
        if case .object(let members) = value { self.members = members } else { members = [:] }
    }

    /// Reads a request; without a body there are no fields.
    init(_ request: Request) async throws(APIError) {
        let text = try await RequestText.read(request, maximum: Limits.bodyBytes)
        let isBlank = text.allSatisfy(\.isWhitespace)
        let value: JSONValue
        do {
            value = try JSONDocument(isBlank ? "{}" : text, limits: .standard).root
                .decode(JSONValue.self)
        } catch {
            throw .badRequest("the body is \(error)")
        }
        guard case .object(let members) = value else {
            throw .badRequest("the body is not an object")
        }
        self.members = members
    }

    private func member(_ name: String) -> JSONValue? {
        members[name].flatMap { $0 == .null ? nil : $0 }
    }

    func text(_ name: String, maximum: Int = Limits.bodyBytes) throws(APIError) -> String? {
        guard let member = member(name) else { return nil }
        guard case .string(let text) = member else {
            throw .badRequest("\(name) must be a text")
        }
        guard text.utf8.count <= maximum else {
            throw .badRequest("\(name) has more than \(maximum) bytes")
        }
        return text
    }

    func flag(_ name: String) throws(APIError) -> Bool? {
        guard let member = member(name) else { return nil }
        guard case .bool(let flag) = member else {
            throw .badRequest("\(name) must be true or false")
        }
        return flag
    }

    /// The whole part of a number.
    func integer(_ name: String) throws(APIError) -> Int? {
        switch member(name) {
        case nil: return nil
        case .integer(let value): return Int(clamping: value)
        case .number(let value) where abs(value) < 1e15: return Int(value)
        default: throw .badRequest("\(name) must be a number")
        }
    }

    func word(_ name: String, of words: [String]) throws(APIError) -> String? {
        guard let text = try text(name) else { return nil }
        guard words.contains(text) else {
            throw .badRequest("\(name) must be one of \(words.joined(separator: ", "))")
        }
        return text
    }

    func texts(_ name: String, count: Int) throws(APIError) -> [String]? {
        guard let member = member(name) else { return nil }
        guard case .array(let items) = member else {
            throw .badRequest("\(name) must be an array of texts")
        }
        guard items.count <= count else {
            throw .badRequest("\(name) has more than \(count) entries")
        }
        var texts: [String] = []
        for item in items {
            guard case .string(let text) = item else {
                throw .badRequest("\(name) must be an array of texts")
            }
            texts.append(text)
        }
        return texts
    }

    /// An object that is kept as it is.
    ///
    /// - Parameter maximum: in bytes of JSON.
    func keptObject(_ name: String, maximum: Int) throws(APIError) -> JSONValue? {
        guard let member = member(name) else { return nil }
        guard case .object = member else { throw .badRequest("\(name) must be an object") }
        try check(member, name, maximum)
        return member
    }

    /// An array of objects that are kept as they are; empty if it is missing.
    ///
    /// - Parameter maximum: in bytes of JSON.
    func keptObjects(_ name: String, maximum: Int) throws(APIError) -> [JSONValue] {
        guard let member = member(name) else { return [] }
        guard case .array(let items) = member,
            items.allSatisfy({ if case .object = $0 { true } else { false } })
        else { throw .badRequest("\(name) must be an array of objects") }
        try check(member, name, maximum)
        return items
    }

    private func check(_ value: JSONValue, _ name: String, _ maximum: Int) throws(APIError) {
        guard let json = try? JSONEncoder().encode(value), json.count <= maximum else {
            throw .badRequest("\(name) has more than \(maximum) bytes")
        }
    }

    func object(_ name: String) throws(APIError) -> OpenViduBody? {
        guard let member = member(name) else { return nil }
        guard case .object = member else { throw .badRequest("\(name) must be an object") }
        return OpenViduBody(member)
    }
}
