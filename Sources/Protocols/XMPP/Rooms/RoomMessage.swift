public import XML

/// A message in a room, to all or to us alone.
public struct RoomMessage: Hashable, Sendable {
    /// Nil for one of the room itself.
    public let nick: String?
    /// Sent before we came (XEP-0203).
    public let isDelayed: Bool
    /// To us alone.
    public let isPrivate: Bool
    /// The whole of it.
    public let stanza: XMLElement

    public var body: String? { stanza.child("body", Namespaces.client)?.text }
    public var subject: String? { stanza.child("subject", Namespaces.client)?.text }

    /// Nil for a message of another type.
    init?(_ stanza: XMLElement, from: JID) {
        guard stanza["type"] != "error" else { return nil }
        isPrivate = stanza["type"] != "groupchat"
        nick = from.resource
        isDelayed = stanza.child("delay", Namespaces.delay) != nil
        self.stanza = stanza
    }
}
