public import HTTPTypes
public import Hummingbird
import HummingbirdCore
public import NIOCore

/// The way from HTTP to the focus and the bridge of Jitsi's clients. `Service` implements it.
public protocol JitsiGateway: Sendable {
    /// A client asks for a conference.
    ///
    /// - Returns: Jicofo's status and body: JSON for 200, otherwise words.
    func requestConference(_ body: String) async -> (status: Int, body: String)

    /// Whether that is a client's channel of the bridge; called before the upgrade.
    func admits(_ channel: JitsiChannel) async -> Bool

    /// Lives as long as the socket: reads `messages` to their end and answers through `socket`.
    func open(
        _ channel: JitsiChannel, socket: WebSocketConnection, messages: WebSocketMessages
    ) async
}

/// What the address of a channel says: `/colibri-ws/<server>/<conference>/<endpoint>?pwd=…`.
public struct JitsiChannel: Hashable, Sendable {
    static let folder = "colibri-ws"
    /// Of each part.
    private static let bytesMaximum = 128

    public var conference: String
    public var endpoint: String
    public var password: String

    /// Nil if it is no such address. Which server it names is a matter of proxies.
    init?(_ uri: URI) {
        let parts = uri.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == Self.folder else { return nil }
        conference = String(parts[3])
        endpoint = String(parts[4])
        password = String(uri.queryParameters["pwd"] ?? "")
        guard
            [conference, endpoint, password].allSatisfy({ 1...Self.bytesMaximum ~= $0.utf8.count })
        else { return nil }
    }
}

/// Jitsi's clients beside their XMPP server. Pages of other sites may come, as they may by XMPP.
///
/// - `POST /conference-request/v1`: a client asks for a conference before it logs in to the XMPP
///   server, if it is configured so.
/// - `/colibri-ws/…`: the bridge's channel by WebSocket, at an address that the client has from the
///   focus, with a password of its session.
public struct JitsiEndpoint: SignallingEndpoint {
    private static let path: RouterPath = "/conference-request/v1"
    private static let channelPath = RouterPath(
        "/\(JitsiChannel.folder)/:server/:conference/:endpoint")

    private let gateway: any JitsiGateway
    private let gate: GuessGate
    private let passwords: GuessGate

    public init(gateway: any JitsiGateway) {
        self.init(
            gateway: gateway,
            gate: GuessGate(
                rate: Limits.conferenceRequestsPerSecond, burst: Limits.conferenceRequestsBurst),
            passwords: GuessGate())
    }

    /// - Parameters:
    ///   - gate: counts conference requests.
    ///   - passwords: counts wrong ones.
    init(gateway: any JitsiGateway, gate: GuessGate, passwords: GuessGate) {
        self.gateway = gateway
        self.gate = gate
        self.passwords = passwords
    }

    public func add(to router: Router<CallerContext>, with entry: EndpointEntry) {
        router.post(Self.path) { request, context in
            var response: Response
            do throws(APIError) {
                response = try await answer(
                    request,
                    from: GuessGate.caller(of: request.headers, from: context.remoteAddress))
            } catch {
                response = error.answer
            }
            response.headers.append(contentsOf: CrossOrigin.headers)
            return response
        }
        router.on(Self.path, method: .options) { _, _ in CrossOrigin.preflight("POST") }
        router.get(Self.channelPath) { request, context in
            try await refuse(
                JitsiChannel(request.uri),
                from: GuessGate.caller(of: request.headers, from: context.remoteAddress))
        }
    }

    private func answer(
        _ request: Request, from caller: GuessGate.Caller
    ) async throws(APIError) -> Response {
        guard gate.pass(caller) else {
            throw .tooManyRequests("too many conference requests from this address")
        }
        let body = try await RequestText.read(request, maximum: Limits.conferenceRequestBytes)
        let (status, answer) = await gateway.requestConference(body)
        return Response(
            status: .init(code: status),
            headers: [
                .contentType: status == 200 ? "application/json" : "text/plain; charset=utf-8",
                .cacheControl: "no-store",
            ], body: .init(byteBuffer: ByteBuffer(string: answer)))
    }

    // MARK: Channels

    public func session(
        for request: HTTPRequest, from address: SocketAddress?, with entry: EndpointEntry
    ) async -> WebSocketSession? {
        guard let channel = JitsiChannel(URI(request.path ?? "")),
            entry.hosts.include(request.authority),
            passwords.isOpen(to: GuessGate.caller(of: request.headerFields, from: address)),
            await gateway.admits(channel)
        else { return nil }
        let gateway = gateway
        return { socket, messages in
            await gateway.open(channel, socket: socket, messages: messages)
        }
    }

    /// Answers a request that did not become a socket.
    private func refuse(
        _ channel: JitsiChannel?, from caller: GuessGate.Caller
    ) async throws(APIError) -> Response {
        guard passwords.isOpen(to: caller) else {
            throw .tooManyRequests("too many wrong passwords from this address")
        }
        guard let channel, await gateway.admits(channel) else {
            passwords.failed(caller)
            throw APIError(.forbidden, "no such endpoint, or not its password")
        }
        throw .upgradeRequired()
    }
}
