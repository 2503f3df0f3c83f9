import HTTPTypes
import Hummingbird
import MediaKernel

/// The names by which a server is called that only this machine may call.
///
/// A page of another site can have its own name resolve to this machine (DNS rebinding): to the
/// browser the server is then that site, whose scripts may read all answers. What they cannot
/// change is `Host`, which says the name.
struct OwnHosts: Sendable {
    /// In small letters, besides those of every machine for itself; nil when any name will do.
    private let names: Set<String>?

    /// - Parameter publicURL: how the outside names the server.
    init(publicURL: String?) {
        names = Set(publicURL.flatMap { HTTPURL($0) }.map { [$0.host] } ?? [])
    }

    private init() { names = nil }

    static let any = OwnHosts()

    /// Whether a request is for this server.
    ///
    /// - Parameter authority: its `Host`; nil when it has none, as none of a browser's lacks one.
    func include(_ authority: String?) -> Bool {
        guard let names, let authority else { return true }
        // Its port is no matter: it may be another machine's, forwarded.
        let host = HTTPURL(isSecure: false, authority: authority).host
        return names.contains(host) || host == "localhost"
            || TransportAddress(host, port: 0)?.isLoopback ?? false
    }
}

/// Answers 421 to requests for other servers (RFC 9110 sect. 15.5.20).
struct OwnHostsMiddleware<Context: RequestContext>: RouterMiddleware {
    let hosts: OwnHosts

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard hosts.include(request.head.authority) else {
            throw APIError.misdirected()
        }
        return try await next(request, context)
    }
}
