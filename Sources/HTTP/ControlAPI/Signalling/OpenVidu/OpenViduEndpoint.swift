public import HTTPTypes
public import Hummingbird
import HummingbirdCore
import MediaKernel
public import NIOCore
import Tokens

/// `/openvidu`: OpenVidu 2's clients. Any client may open a socket; its token comes in its first
/// call, so a socket without a call is closed soon.
public struct OpenViduEndpoint: SignallingEndpoint {
    private static let path = "/openvidu"

    public typealias Gateway = OpenViduGateway & OpenViduControl & OpenViduRecordingControl

    private let gateway: any Gateway
    private let secret: String?
    private let gate: GuessGate

    /// - Parameter secret: of the callers of the REST API; nil for none.
    public init(gateway: any Gateway, secret: String?) {
        self.init(gateway: gateway, secret: secret, gate: GuessGate())
    }

    init(gateway: any Gateway, secret: String?, gate: GuessGate) {
        self.gateway = gateway
        self.secret = secret
        self.gate = gate
    }

    public func add(to router: Router<CallerContext>, with entry: EndpointEntry) {
        router.get(RouterPath(Self.path)) { _, _ -> Response in throw APIError.upgradeRequired() }
        guard let secret else { return }
        let doorkeeper = OpenViduDoorkeeper(secret: secret, gate: gate)
        // The old addresses of the others are those of Roomcast's own pages.
        OpenViduRoutes(
            control: gateway, endpoints: entry.endpoints, doorkeeper: doorkeeper.withOldAddresses
        ).add(to: router)
        OpenViduRecordingRoutes(
            control: gateway, endpoints: entry.endpoints, doorkeeper: doorkeeper,
            assets: entry.assets
        ).add(to: router)
    }

    public func session(
        for request: HTTPRequest, from address: SocketAddress?, with entry: EndpointEntry
    ) async -> WebSocketSession? {
        guard URI(request.path ?? "").path == Self.path, entry.hosts.include(request.authority)
        else { return nil }
        let (gateway, tokens, gate) = (gateway, entry.tokens, gate)
        let caller = GuessGate.caller(of: request.headerFields, from: address)
        return { socket, messages in
            let client = OpenViduClient(
                claims: { token async throws(APIError) in
                    try await tokens.claims(of: token, peer: nil)
                }, mayGuess: { gate.isOpen(to: caller) },
                guessedWrong: { gate.failed(caller) })
            await gateway.open(client, socket: socket, messages: messages)
        }
    }
}
