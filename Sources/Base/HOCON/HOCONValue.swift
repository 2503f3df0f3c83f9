/// A value whose substitutions are resolved.
public struct HOCONValue: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case null
        /// Every other single value: HOCON converts texts, numbers and flags as the reader asks.
        case text(String)
        case list([HOCONValue])
        case object([String: HOCONValue])
    }

    public var content: Content
    public let place: HOCONPlace

    public init(_ content: Content, at place: HOCONPlace) {
        self.content = content
        self.place = place
    }

    public var isNull: Bool { content == .null }

    public var text: String? { if case .text(let text) = content { text } else { nil } }

    public var list: [HOCONValue]? { if case .list(let values) = content { values } else { nil } }

    public var object: [String: HOCONValue]? {
        if case .object(let members) = content { members } else { nil }
    }

    public var flag: Bool? {
        switch text {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }

    public var integer: Int? { text.flatMap { Int($0) } }

    /// The value at a path; nil if there is none.
    public func at(_ path: some Sequence<String>) -> HOCONValue? {
        var value = self
        for name in path {
            guard let next = value.object?[name] else { return nil }
            value = next
        }
        return value
    }

    /// This value where it was assigned after another: objects are merged, anything else replaces
    /// what was there.
    public func merged(over lower: HOCONValue?) -> HOCONValue {
        guard case .object(var members) = lower?.content, case .object(let upper) = content else {
            return self
        }
        for (name, value) in upper { members[name] = value.merged(over: members[name]) }
        return HOCONValue(.object(members), at: place)
    }
}
