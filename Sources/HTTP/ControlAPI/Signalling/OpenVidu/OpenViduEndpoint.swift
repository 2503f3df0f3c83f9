public import HTTPTypes
public import Hummingbird
import HummingbirdCore
import MediaKernel
import Tokens

/// `/openvidu`: OpenVidu 2's clients. Any client may open a socket; its token comes in its first
/// call, so a socket without a call is closed soon.
public struct OpenViduEndpoint: SignallingEndpoint {
    private static let path = "/openvidu"

    private let gateway: any OpenViduGateway & OpenViduControl
    private let secret: String?
    private let gate: GuessGate

    /// - Parameter secret: of the callers of the REST API; nil for none.
    public init(gateway: any OpenViduGateway & OpenViduControl, secret: String?) {
        self.init(gateway: gateway, secret: secret, gate: GuessGate())
    }

    init(gateway: any OpenViduGateway & OpenViduControl, secret: String?, gate: GuessGate) {
        self.gateway = gateway
        self.secret = secret
        self.gate = gate
    }

    public func add(to router: Router<CallerContext>, with entry: EndpointEntry) {
        router.get(RouterPath(Self.path)) { _, _ -> Response in throw APIError.upgradeRequired() }
        guard let secret else { return }
        OpenViduRoutes(secret: secret, control: gateway, endpoints: entry.endpoints, gate: gate)
            .add(to: router)
    }

    public func session(
        for request: HTTPRequest, with entry: EndpointEntry
    ) async -> WebSocketSession? {
        guard URI(request.path ?? "").path == Self.path, entry.hosts.include(request.authority)
        else { return nil }
        let (gateway, tokens) = (gateway, entry.tokens)
        return { socket, messages in
            let client = OpenViduClient { token async throws(APIError) in
                try await tokens.claims(of: token, peer: nil)
            }
            await gateway.open(client, socket: socket, messages: messages)
        }
    }
}
