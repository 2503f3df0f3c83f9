/// Why a client is not, or no longer, in its room.
public enum RoomClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The endpoint is no HTTP or HTTPS origin.
    case badEndpoint(String)
    /// The server refused the token, the room or the connection, with its own code and words.
    case refused(code: Int, message: String)
    /// The server could not be reached, or stopped answering, for longer than we try.
    case unreachable(String)
    /// The server put us out.
    case removed(reason: String)
    /// It put everybody out.
    case roomEnded(reason: String)
    /// The server said something that the protocol does not allow.
    case protocolViolation(String)

    public var description: String {
        switch self {
        case .badEndpoint(let endpoint): "'\(endpoint)' is not an http or https origin"
        case .refused(let code, let message): "refused with \(code): \(message)"
        case .unreachable(let why): "the server cannot be reached: \(why)"
        case .removed(let reason): "removed from the room: \(reason)"
        case .roomEnded(let reason): "the room has ended: \(reason)"
        case .protocolViolation(let what): "protocol violation: \(what)"
        }
    }
}
