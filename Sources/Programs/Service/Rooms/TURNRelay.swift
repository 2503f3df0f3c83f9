import ControlAPI
import MediaKernel
import Signing

/// The TURN relay offered to clients, for networks that block everything else.
public struct TURNRelay: Hashable, Sendable {
    /// RFC 7065, e.g. `turn:relay.example.org:3478?transport=udp`; all reach the same relay.
    public var urls: [String]
    /// Shared with the relay.
    public var secret: String
    /// The validity of a credential. A client gets a new one whenever it joins or rejoins.
    public var lifetime: Duration

    public static let urlsMaximum = 8
    public static let standardLifetime: Duration = .seconds(86_400)

    public init(urls: [String], secret: String, lifetime: Duration = standardLifetime) {
        self.urls = urls
        self.secret = secret
        self.lifetime = lifetime
    }

    /// Whether browsers accept the URL. An invalid one makes them refuse to connect at all.
    static func isURL(_ text: String) -> Bool {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, !["transport=udp", "transport=tcp"].contains(parts[1]) {
            return false
        }
        guard let scheme = ["turn:", "turns:"].first(where: { parts[0].hasPrefix($0) })
        else { return false }
        var host = parts[0].dropFirst(scheme.count)
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]"),
                TransportAddress(String(host[..<end].dropFirst()), port: 0)?.isIPv6 == true
            else { return false }
            let port = host[host.index(after: end)...]
            guard port.isEmpty || port.hasPrefix(":") else { return false }
            host = "v6" + port
        }
        let pieces = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if pieces.count == 2 {
            guard pieces[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let port = UInt16(pieces[1]), port > 0
            else { return false }
        }
        return !pieces[0].isEmpty
            && pieces[0].utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// The relay with credentials for one client. The relay, and eavesdroppers on the way to it,
    /// learn the peer's id but not the user's.
    func server(for peer: PeerID, at now: UnixTime) -> InitialConfiguration.ICEServer {
        let credential = TURNCredential(
            user: peer.rawValue, secret: secret, expiry: now + lifetime)
        return InitialConfiguration.ICEServer(
            urls: urls, username: credential.username, credential: credential.password)
    }
}
