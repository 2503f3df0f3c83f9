public import XML

/// What a client learns from its server.
public enum ClientEvent: Hashable, Sendable {
    /// Stanzas may be sent, from this address. What was before goes on only if the stream is
    /// resumed: otherwise no room is joined.
    case online(JID, isResumed: Bool)
    /// A request that the program has to answer, by `send`.
    case request(Request)
    /// A message or a presence, from none of the rooms.
    case stanza(XMLElement)
    case room(JID, RoomEvent)
}
