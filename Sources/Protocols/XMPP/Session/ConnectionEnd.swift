/// Why a connection ended.
public enum ConnectionEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was awaited when time ran out.
    public enum Phase: String, Sendable {
        /// The connection, and that of the WebSocket with its TLS.
        case connecting
        case opening
        case encrypting
        case authenticating
        case binding
        /// Stanzas, or the answer to a ping.
        case open
    }

    /// By our wish.
    case left
    /// By the server, in order.
    case closed
    case unreachable(String)
    /// TLS cannot be established: the certificate proves nothing, or is another's.
    case untrusted(String)
    case silent(Phase)
    case lost(String)
    case failed(StreamFailure)
    /// The server does not read what we send.
    case overrun

    public var description: String {
        switch self {
        case .left: "left"
        case .closed: "the server ended the stream"
        case .unreachable(let why): "the server cannot be reached: \(why)"
        case .untrusted(let why): "the server cannot be trusted: \(why)"
        case .silent(let phase): "the server was silent (\(phase.rawValue))"
        case .lost(let why): "the connection was lost: \(why)"
        case .failed(let failure): "\(failure)"
        case .overrun: "the server does not read"
        }
    }

    /// Whether another attempt may succeed without the operator's help.
    public var mayPass: Bool {
        switch self {
        case .left, .untrusted: false
        case .closed, .unreachable, .silent, .lost, .overrun: true
        case .failed(let failure): failure.mayPass
        }
    }

    /// Whether the stream may be resumed: neither side has ended it. One of which the server takes
    /// too little would begin with all that it did not take.
    var leavesStream: Bool {
        switch self {
        case .left, .closed, .failed, .overrun: false
        case .unreachable, .untrusted, .silent, .lost: true
        }
    }
}
