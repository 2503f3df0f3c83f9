public import ClientConnections

/// Where a server of XMPP listens.
public enum Endpoint: Hashable, Sendable {
    /// RFC 6120, with STARTTLS. The host need not be the server's name.
    case tcp(host: String, port: Int = 5222)
    /// RFC 7395.
    case webSocket(WebSocketURL)
}
