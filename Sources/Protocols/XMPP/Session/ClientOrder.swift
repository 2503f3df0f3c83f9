public import XML

/// What a ``ClientSession`` has to be done.
public enum ClientOrder: Hashable, Sendable {
    /// For the connection: one message of a WebSocket.
    case send(String)
    /// Begin TLS at once, then call `secured`. What has arrived behind is not the server's.
    case startTLS
    case event(ClientEvent)
    /// Our request with this id has its end; the child of its result, which may have none.
    case answered(String, Result<XMLElement?, RequestFailure>)
    /// Close the connection.
    case end(ConnectionEnd)
}
