public import MediaKernel

/// A session of an OpenVidu server, in the form of a meeting URL:
/// `openvidu:wss://host/openvidu?sessionId=name`. What admits us is in the settings.
public struct OpenViduSource: Hashable, Sendable {
    /// The scheme that precedes the socket's own.
    public static let scheme = "openvidu:"
    private static let standardPath = "/openvidu"

    /// The socket's address as one of HTTP, without its query.
    public let address: WebAddress
    public let session: String

    /// Whether a meeting URL is meant to name a session, valid or not.
    public static func isMeant(by meetingURL: String) -> Bool {
        meetingURL.prefix(scheme.count).lowercased() == scheme
    }

    /// Whether it names a secret, which has no place there: meeting URLs are shown and logged.
    public static func namesSecret(_ meetingURL: String) -> Bool {
        let query = meetingURL.drop { $0 != "?" }.dropFirst()
        return meetingURL.contains("@")
            || query.split(separator: "&").contains { part in
                ["secret", "token"].contains(part.prefix { $0 != "=" }.lowercased())
            }
    }

    /// Nil if the URL is no session of a server, or is malformed, or has a secret.
    public init?(meetingURL: String) {
        guard Self.isMeant(by: meetingURL), !Self.namesSecret(meetingURL) else { return nil }
        let socket = meetingURL.dropFirst(Self.scheme.count)
        let isSecure = socket.prefix(6).lowercased() == "wss://"
        guard isSecure || socket.prefix(5).lowercased() == "ws://" else { return nil }
        let rest = socket.dropFirst(isSecure ? 6 : 5)
        let halves = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, halves[1].hasPrefix("sessionId=") else { return nil }
        session = String(halves[1].dropFirst("sessionId=".count))
        guard (1...128).contains(session.utf8.count), session.utf8.allSatisfy(Self.isInSessions)
        else { return nil }
        let place = halves[0].prefix { $0 != "/" }
        let path = halves[0][place.endIndex...]
        guard
            let address = WebAddress(
                "\(isSecure ? "https" : "http")://\(place)"
                    + (path.isEmpty || path == "/" ? Self.standardPath[...] : path)),
            !address.text.contains("#")
        else { return nil }
        self.address = address
    }

    /// The address of the socket, without a query.
    public var socket: String {
        // `https` and `http` become `wss` and `ws`.
        "ws" + address.text.dropFirst("http".count)
    }

    /// By which the settings name the server: the host, with a port if it is not the scheme's own.
    public var server: String { address.host + (address.port.map { ":\($0)" } ?? "") }

    var shown: String { "\(Self.scheme)\(socket)?sessionId=\(session)" }

    private static func isInSessions(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
            || (0x61...0x7a).contains(byte) || "-._~".utf8.contains(byte)
    }
}

/// By what a server admits us to a session.
public enum OpenViduCredential: Hashable, Sendable {
    /// The server's own: we are its hidden recorder.
    case secret(String)
    /// Of a participant whom the others see.
    case token(String)

    /// The form in which a bot gets it.
    public var text: String {
        switch self {
        case .secret(let secret): "secret:\(secret)"
        case .token(let token): "token:\(token)"
        }
    }

    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "secret": self = .secret(parts[1])
        case "token": self = .token(parts[1])
        default: return nil
        }
    }
}

/// The OpenVidu servers whose sessions may be streamed, with what admits us there.
public struct OpenViduServers: Hashable, Sendable, Decodable {
    struct Server: Hashable, Decodable {
        var secret: String?
        /// By session.
        var tokens: [String: String]?
    }

    private var servers: [String: Server] = [:]

    public init() {}

    public init(from decoder: any Decoder) throws {
        servers = try [String: Server](from: decoder)
    }

    /// The rule that an entry breaks; nil if there is none.
    public var fault: String? {
        for (name, server) in servers.sorted(by: { $0.key < $1.key }) {
            guard let pattern = HostPattern(name), !pattern.isWildcard, name == name.lowercased()
            else { return "servers are named like example.org or example.org:4443" }
            let secrets = [server.secret].compactMap(\.self) + (server.tokens ?? [:]).values
            guard !secrets.isEmpty else { return "\(name) has neither a secret nor tokens" }
            guard secrets.allSatisfy({ (1...4096).contains($0.utf8.count) }) else {
                return "a secret or a token of \(name) is empty or too long"
            }
        }
        return nil
    }

    /// A token for the session, or else the secret of the server.
    public func credential(for source: OpenViduSource) -> OpenViduCredential? {
        let port = WebAddress.standardPort(isSecure: source.address.isSecure)
        guard let server = servers[source.server] ?? servers["\(source.server):\(port)"] else {
            return nil
        }
        return server.tokens?[source.session].map { .token($0) }
            ?? server.secret.map { .secret($0) }
    }
}
