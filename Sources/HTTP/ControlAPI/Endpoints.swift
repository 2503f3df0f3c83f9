import Hummingbird
import MediaKernel

/// The public names of this server.
struct Endpoints: Sendable {
    /// Without a trailing slash, e.g. `https://live.example.org`; nil without a setting, and then a
    /// request's own `Host` is used.
    let publicBaseURL: String?
    let isTLS: Bool
    /// `host:port` as configured, for requests without a `Host`.
    let listenAuthority: String

    init(publicBaseURL: String?, isTLS: Bool, listenAuthority: String) {
        self.publicBaseURL = publicBaseURL.map { url in
            var url = url
            while url.hasSuffix("/") { url.removeLast() }
            return url
        }
        self.isTLS = isTLS
        self.listenAuthority = listenAuthority
    }

    /// The address of a room's WebSocket that the caller of this request can reach.
    ///
    /// - Parameter isRecorder: whether the caller is a bot of this machine, which calls at the
    ///   listening address. It stays there: it may not know the public name and need not pass the
    ///   proxy.
    func webSocket(to room: RoomID, for request: Request, isRecorder: Bool) -> String {
        let authority = authority(of: request)
        let isDirect = isRecorder && !isTLS && listenAuthorities.contains(authority.lowercased())
        let direct = HTTPURL(isSecure: isTLS, authority: authority)
        let base = isDirect ? direct : publicBaseURL.flatMap { HTTPURL($0) } ?? direct
        return "\(base.isSecure ? "wss" : "ws")://\(base.authority)\(base.target)/ws?room=\(room)"
    }

    /// The base of paths that the caller of this request can reach.
    func base(for request: Request) -> String {
        publicBaseURL ?? HTTPURL(isSecure: isTLS, authority: authority(of: request)).origin
    }

    /// A stream's address for a page. An address on this server gets the name that the page was
    /// opened with: the page may play only from its own origin, and without a public address the
    /// server has several names (`127.0.0.1`, `localhost`).
    func address(_ url: String?, for request: Request) -> String? {
        guard let url, publicBaseURL == nil, let own = HTTPURL(url),
            authorities.contains(own.authority.lowercased())
        else { return url }
        return base(for: request) + own.target
    }

    /// Every `host[:port]` of this server: the public one, the listening address and the one that
    /// the caller used.
    func authorities(for request: Request) -> Set<String> {
        authorities.union([authority(of: request).lowercased()])
    }

    var authorities: Set<String> {
        var names = listenAuthorities
        if let url = publicBaseURL.flatMap({ HTTPURL($0) }) {
            names.insert(url.authority.lowercased())
        }
        return names
    }

    /// The authorities that are reached without a proxy.
    private var listenAuthorities: Set<String> {
        var names: Set = [listenAuthority.lowercased()]
        if let port = listenAuthority.split(separator: ":").last {
            names.formUnion(["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)"])
        }
        return names
    }

    private func authority(of request: Request) -> String {
        authority(saidTo: request.head.authority)
    }

    /// - Parameter host: the request's `Host`.
    func authority(saidTo host: String?) -> String {
        let host = host ?? ""
        // Only characters of URLs, so that nothing foreign gets into the answer.
        let isPlain = host.utf8.allSatisfy {
            $0.isWord || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
                || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]")
        }
        return (1...255).contains(host.utf8.count) && isPlain ? host : listenAuthority
    }
}
