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

/// Why a request of ours has no result.
public enum RequestFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case refused(StanzaError)
    case timedOut
    /// There is no stream, or it ended before the answer.
    case offline
    /// Too many wait for their answers.
    case tooMany

    public var description: String {
        switch self {
        case .refused(let error): "refused: \(error)"
        case .timedOut: "not answered in time"
        case .offline: "there is no connection"
        case .tooMany: "too many requests wait for their answers"
        }
    }
}
