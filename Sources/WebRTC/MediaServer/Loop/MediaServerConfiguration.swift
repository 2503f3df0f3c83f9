public import MediaKernel

/// Where media is received, and the addresses that clients are told.
public struct MediaServerConfiguration: Sendable {
    /// Local addresses to bind, as literals: `0.0.0.0`, `::`, `127.0.0.1`.
    public var bindHosts: [String]
    /// One UDP port for all media of all rooms. 0 takes a free one.
    public var port: Int
    /// The addresses that clients are given, with ports where they differ from the bound one
    /// (behind a port mapping). Empty: the bound address, or all of this host's if that is a
    /// wildcard.
    public var advertised: [TransportAddress]
    /// One TCP port for all media of clients whose networks block UDP.
    public var tcpPort: TCPPort
    /// Like `advertised`, for the TCP port. Empty: the addresses of `advertised`.
    public var tcpAdvertised: [TransportAddress]

    /// The most simultaneous connections to the TCP port. Each is a file descriptor.
    public var tcpLinksMaximum: Int

    /// The default.
    public static let tcpLinksMaximum = 4096

    public enum TCPPort: Hashable, Sendable {
        case none
        case sameAsUDP
        case number(Int)
    }

    public init(
        bindHosts: [String], port: Int, advertised: [TransportAddress],
        tcpPort: TCPPort = .none, tcpAdvertised: [TransportAddress] = [],
        tcpLinksMaximum: Int = Self.tcpLinksMaximum
    ) {
        self.bindHosts = bindHosts
        self.port = port
        self.advertised = advertised
        self.tcpPort = tcpPort
        self.tcpAdvertised = tcpAdvertised
        self.tcpLinksMaximum = tcpLinksMaximum
    }
}

/// Errors of the media plane. The names say whose fault they are.
public enum MediaServerError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownPeer(PeerID)
    /// The client's description cannot be used. Nothing has changed.
    case badDescription(String)
    /// The client offers on the connection on which the server does.
    case serverOffers
    case connectionNameTooLong
    /// A peer's.
    case tooManyConnections(maximum: Int)
    case connectionExists
    /// An answer without an offer of ours.
    case nothingOffered
    case tooManyPeers(maximum: Int)
    case roomClosed
    /// The address is taken, or not one of this machine's.
    ///
    /// - Parameter code: the `errno` of the call that failed; 0 when the host has no address.
    case cannotBind(TransportAddress.Transport, host: String, port: Int, code: Int32)

    public var description: String {
        switch self {
        case .unknownPeer(let peer): "peer \(peer) has no media connection"
        case .badDescription(let what): what
        case .serverOffers: "the server offers the subscribe connection"
        case .connectionNameTooLong: "the name of the connection is too long"
        case .tooManyConnections(let maximum): "more than \(maximum) connections"
        case .connectionExists: "the connection exists already"
        case .nothingOffered: "no offer was made"
        case .tooManyPeers(let maximum): "more than \(maximum) peers in one room"
        case .roomClosed: "the room has ended"
        case .cannotBind(let transport, let host, let port, let code):
            "\(transport.rawValue.uppercased()) \(host):\(port) cannot be bound: error \(code)"
        }
    }
}
