/// What a server answered in place of a WebSocket.
public enum WebSocketRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// An HTTP response.
    case status(code: UInt, reason: String)
    /// A socket that does not speak the sub-protocol that we asked for. RFC 6455 sect. 4.1.
    case subprotocol(String?)

    public var description: String {
        switch self {
        case .status(let code, let reason): "\(code) \(reason)"
        case .subprotocol(let name): "the sub-protocol \(name ?? "none")"
        }
    }
}
