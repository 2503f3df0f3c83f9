public import MediaKernel
public import XML

/// Our requests that wait for their answers.
public struct PendingRequests: Sendable {
    public enum Outcome: Hashable, Sendable {
        /// The child, which a result need not have.
        case result(XMLElement?)
        case refused(StanzaError)
    }

    private struct Pending {
        let to: JID?
        let deadline: Instant
    }

    /// More requests at a time are refused: answers that fail to come must not fill the memory.
    public static let maximum = 256

    /// Our own address, known after the binding of the resource.
    public var own: JID?
    private var pending: [String: Pending] = [:]
    private var count = 0

    public init() {}

    public var nextDeadline: Instant? { pending.values.lazy.map(\.deadline).min() }

    /// - Parameter to: nil for our own account at the server.
    /// - Returns: the stanza and its id; nil when too many requests wait.
    public mutating func ask(
        _ kind: Request.Kind, _ payload: XMLElement, to: JID?, until deadline: Instant
    ) -> (stanza: XMLElement, id: String)? {
        guard pending.count < Self.maximum else { return nil }
        count += 1
        let id = "r\(count)"
        pending[id] = Pending(to: to, deadline: deadline)
        let stanza = XMLElement(
            "iq", Namespaces.client,
            ["type": kind.rawValue, "id": id, "to": to?.description], [payload])
        return (stanza, id)
    }

    /// The outcome that a stanza brings; nil if it answers none of our requests. Anyone can send a
    /// stanza with a guessed id: only the one who was asked may answer (RFC 6120 sect. 8.1.2.1).
    public mutating func answered(_ stanza: XMLElement) -> (id: String, outcome: Outcome)? {
        guard stanza.isNamed("iq", Namespaces.client), let id = stanza["id"],
            let type = stanza["type"], type == "result" || type == "error",
            let asked = pending[id], isFrom(asked.to, stanza["from"])
        else { return nil }
        pending[id] = nil
        if type == "error" { return (id, .refused(StanzaError(of: stanza))) }
        return (id, .result(stanza.elements.first))
    }

    /// The ids whose deadlines have passed.
    public mutating func timedOut(_ now: Instant) -> [String] {
        remove { $0.deadline <= now }
    }

    /// The ids of all, when the stream has ended.
    public mutating func removeAll() -> [String] { remove { _ in true } }

    private mutating func remove(_ isOver: (Pending) -> Bool) -> [String] {
        let over = pending.filter { isOver($0.value) }.map(\.key).sorted()
        for id in over { pending[id] = nil }
        return over
    }

    private func isFrom(_ asked: JID?, _ text: String?) -> Bool {
        let sender = text.flatMap { JID($0) }
        if let asked, asked != own?.bare {
            return sender == asked
        }
        // The account answers as itself, with its full address or without any (sect. 8.1.2.1).
        return text == nil || sender != nil && (sender == own || sender == own?.bare)
    }
}
