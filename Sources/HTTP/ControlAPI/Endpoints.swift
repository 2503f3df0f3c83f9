import Hummingbird
import MediaKernel

/// Under which names this server is known to the outside.
struct Endpoints: Sendable {
    /// Without a slash at the end, e.g. `https://live.example.org`; nil when the operator set
    /// none, and then a request's own `Host` is taken.
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

    /// The address of a room's WebSocket as the caller of this request can reach it.
    ///
    /// - Parameter isRecorder: a bot of this machine asks at the address we listen on. It is not
    ///   sent round by the outside, whose name it may not know and whose proxy it need not pass.
    func webSocket(to room: RoomID, for request: Request, isRecorder: Bool) -> String {
        let authority = authority(of: request)
        let isDirect = isRecorder && !isTLS && listenAuthorities.contains(authority.lowercased())
        let direct = HTTPURL(isSecure: isTLS, authority: authority)
        let base = isDirect ? direct : publicBaseURL.flatMap { HTTPURL($0) } ?? direct
        return "\(base.isSecure ? "wss" : "ws")://\(base.authority)\(base.target)/ws?room=\(room)"
    }

    /// In front of paths, as the caller of this request can reach them.
    func base(for request: Request) -> String {
        publicBaseURL ?? HTTPURL(isSecure: isTLS, authority: authority(of: request)).origin
    }

    /// Every `host[:port]` that means this server: the public one, the one we listen on and the
    /// one under which the caller found us.
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

    /// Those under which nothing can be in between.
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
        // What a URL can hold, so that nothing foreign gets into the answer.
        let isPlain = host.utf8.allSatisfy {
            $0.isWord || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
                || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]")
        }
        return (1...255).contains(host.utf8.count) && isPlain ? host : listenAuthority
    }
}
