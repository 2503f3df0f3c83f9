public import XML

/// An `iq` that asks: each has exactly one answer. RFC 6120 sect. 8.2.3.
public struct Request: Hashable, Sendable {
    public enum Kind: String, Sendable {
        case get, set
    }

    public let id: String
    /// Nil from the server to its own client.
    public let from: JID?
    public let kind: Kind
    /// The one child.
    public let payload: XMLElement

    /// Nil for a stanza that is no request, or none that can be answered.
    public init?(_ stanza: XMLElement) {
        guard stanza.isNamed("iq", Namespaces.client), let id = stanza["id"],
            let kind = stanza["type"].flatMap(Kind.init), stanza.elements.count == 1
        else { return nil }
        // An answer to an address that is none would be refused, and the stream with it.
        let from = stanza["from"].map { JID($0) }
        if case .some(.none) = from { return nil }
        self.id = id
        self.from = from ?? nil
        self.kind = kind
        payload = stanza.elements[0]
    }

    public func result(_ payload: XMLElement? = nil) -> XMLElement {
        answer("result", payload.map { [$0] } ?? [])
    }

    public func refusal(_ error: StanzaError) -> XMLElement {
        answer("error", [payload, error.element])
    }

    private func answer(_ type: String, _ children: [XMLElement]) -> XMLElement {
        XMLElement(
            "iq", Namespaces.client, ["type": type, "id": id, "to": from?.description], children)
    }
}
