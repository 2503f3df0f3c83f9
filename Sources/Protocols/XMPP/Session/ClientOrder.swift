public import XML

/// What a ``ClientSession`` wants done.
public enum ClientOrder: Hashable, Sendable {
    /// For the connection: one message of a WebSocket.
    case send(String)
    /// Begin TLS at once, then call `secured`. Bytes that came after this in plain text may be
    /// anyone's.
    case startTLS
    case event(ClientEvent)
    /// Our request with this id is over. Has the child of its result, if there is one.
    case answered(String, Result<XMLElement?, RequestFailure>)
    /// Close the connection.
    case end(ConnectionEnd)
}
