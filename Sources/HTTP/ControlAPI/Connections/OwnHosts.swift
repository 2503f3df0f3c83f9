import HTTPTypes
import Hummingbird
import MediaKernel

/// The names of a server that no page of another site may call.
///
/// A page of another site can make its own name resolve to this machine (DNS rebinding): the
/// browser then takes the server for that site, whose scripts may read all answers. They cannot
/// change `Host`, which has that name.
struct OwnHosts: Sendable {
    /// In small letters, besides every machine's names for itself; nil when any name is allowed.
    private let names: Set<String>?
    /// Whether any address is, too: no page has it as its own site's name.
    private let includesAddresses: Bool

    /// Only this machine may call it.
    ///
    /// - Parameter publicURL: the server's public address.
    init(publicURL: String?) {
        names = Set(publicURL.flatMap { HTTPURL($0) }.map { [$0.host] } ?? [])
        includesAddresses = false
    }

    /// Other machines may, by its address.
    ///
    /// - Parameter host: a name or an address.
    init(boundTo host: String) {
        names = [host.lowercased()]
        includesAddresses = true
    }

    private init() {
        names = nil
        includesAddresses = true
    }

    static let any = OwnHosts()

    /// Whether a request is for this server.
    ///
    /// - Parameter authority: the request's `Host`; nil without one, which browsers never omit.
    func include(_ authority: String?) -> Bool {
        guard let names, let authority else { return true }
        // The port does not matter: it may be a forwarded one of another machine.
        let host = HTTPURL(isSecure: false, authority: authority).host
        return names.contains(host) || host == "localhost"
            || TransportAddress(host, port: 0).map { includesAddresses || $0.isLoopback } ?? false
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
