internal import Digests

/// Where a member's channel by WebSocket is, as the videobridge has it:
/// `wss://host/colibri-ws/<server>/<conference>/<endpoint>?pwd=<password>`.
public struct BridgeAddress: Hashable, Sendable {
    /// Which bridge. Proxies of deployments with several tell them apart by it.
    static let server = "default-id"

    /// The room's name.
    public let conference: String
    /// The member's nick.
    public let endpoint: String
    /// Made for one session.
    public let password: String

    public init(conference: String, endpoint: String, password: String) {
        self.conference = conference
        self.endpoint = endpoint
        self.password = password
    }

    /// - Parameter base: how clients reach the HTTP server, such as `https://live.example.org`.
    func url(at base: String) -> String {
        // http and https become ws and wss.
        let scheme = base.hasPrefix("http") ? "ws\(base.dropFirst(4))" : base
        return "\(scheme)/colibri-ws/\(Self.server)/\(conference)/\(endpoint)?pwd=\(password)"
    }

    /// Whether a password is this one.
    func admits(_ given: String) -> Bool {
        SecretBytes.areEqual(Array(password.utf8), Array(given.utf8))
    }
}

/// One member's open channel, for the HTTP server. The caller passes the texts of its socket one
/// after another (awaiting each), and reports its end.
public struct BridgeEntrance: Sendable {
    let entrance: JitsiEntrance
    let nick: String
    let number: Int

    public func received(_ text: String) async {
        await entrance.heard(text, from: nick, on: number)
    }

    public func closed() async { await entrance.closed(number, of: nick) }
}
