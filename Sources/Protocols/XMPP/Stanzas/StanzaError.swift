public import XML

/// Why a stanza was refused. RFC 6120 sect. 8.3.
public struct StanzaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the sender may do about it.
    public enum Kind: String, Sendable {
        case auth, cancel, `continue`, modify, wait
    }

    /// The name of one of RFC 6120's conditions (sect. 8.3.3), such as `item-not-found`.
    public let condition: String
    public let kind: Kind
    public let text: String?

    public init(_ condition: String, _ kind: Kind, text: String? = nil) {
        self.condition = condition
        self.kind = kind
        self.text = text
    }

    /// Of a stanza whose type is `error`. What is missing or unknown in it becomes
    /// `undefined-condition`, so that each such stanza is an error.
    public init(of stanza: XMLElement) {
        let error = stanza.child("error", stanza.namespace)
        let conditions = error?.elements.filter { $0.namespace == Namespaces.stanzaErrors } ?? []
        condition = conditions.first { $0.name != "text" }?.name ?? "undefined-condition"
        kind = error?["type"].flatMap(Kind.init) ?? .cancel
        text = conditions.first { $0.name == "text" }
            .map { String($0.text.prefix(StreamFailure.textMaximum)) }
    }

    public var element: XMLElement {
        XMLElement(
            "error", Namespaces.client, ["type": kind.rawValue],
            [XMLElement(condition, Namespaces.stanzaErrors)]
                + (text.map { [XMLElement("text", Namespaces.stanzaErrors, text: $0)] } ?? []))
    }

    public var description: String { condition + (text.map { " (\($0))" } ?? "") }
}
