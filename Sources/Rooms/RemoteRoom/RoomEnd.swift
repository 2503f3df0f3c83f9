/// Why a program is not, or no longer, in its room.
public enum RoomEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// The protocol does not support the server's address.
    case badEndpoint(String)
    /// The server refused the token, the room or the connection, with its own code and message.
    case refused(code: Int, message: String)
    /// The same, by the rules of the room or the people in it: no other attempt would be admitted.
    case closed(code: Int, message: String)
    /// The server could not be reached, or stopped answering, for longer than our retries last.
    case unreachable(String)
    /// The server removed us.
    case removed(reason: String)
    /// The server removed all peers.
    case roomEnded(reason: String)
    /// The server violated the protocol.
    case protocolViolation(String)
    /// What is to be shown cannot be shown, and trying again would not help.
    case givenUp(String)
    /// Its media are encrypted from end to end, and only its participants have the key.
    case encrypted(String)
    /// Nothing came from it for as long as that may last.
    case silent(String)
    /// There was no way for its media for as long as that may last.
    case disconnected(String)
    /// This machine failed: it has no socket, or no key.
    case failed(String)

    /// Whether a server that answers a request with this HTTP status may accept it later.
    public static func mayPass(status: UInt) -> Bool { status == 429 || status >= 500 }

    public var description: String {
        switch self {
        case .badEndpoint(let endpoint):
            endpoint.hasPrefix("ws:") || endpoint.hasPrefix("wss:")
                ? "'\(endpoint)' is not a usable ws or wss address"
                : "'\(endpoint)' is not an http or https address"
        case .refused(let code, let message), .closed(let code, let message):
            "refused with \(code): \(message)"
        case .unreachable(let why): "the server cannot be reached: \(why)"
        case .removed(let reason): "removed from the room: \(reason)"
        case .roomEnded(let reason): "the room has ended: \(reason)"
        case .protocolViolation(let what): "protocol violation: \(what)"
        case .givenUp(let why), .encrypted(let why), .silent(let why), .disconnected(let why): why
        case .failed(let what): "the room cannot be joined: \(what)"
        }
    }
}
