import HTTPTypes
import Hummingbird
import HummingbirdCore
import MediaKernel
import Tokens

/// Decides which clients may open a socket at `/ws?room=<id>&peer=<id>&token=<room token>`. The
/// room is in the address that `/init` returns, and is optional.
///
/// A refused request is checked twice: first for the upgrade, which can only say yes or no, and
/// then by the route, which gives the reason.
struct WebSocketUpgrade: Sendable {
    let tokens: RoomTokenGuard
    let gateway: any SignallingGateway
    let endpoints: Endpoints
    let hosts: OwnHosts

    /// - Returns: the session to run; nil when the request is to be answered over HTTP.
    func decide(_ request: HTTPRequest) async -> WebSocketSession? {
        let uri = URI(request.path ?? "")
        guard uri.path == "/ws", hosts.include(request.authority),
            let (peer, claims) = try? await check(uri)
        else { return nil }
        let gateway = gateway
        let userAgent = String(uri.queryParameters["user_agent_v2"] ?? "")
        let authority = endpoints.authority(saidTo: request.authority)
        return { socket, messages in
            await gateway.open(
                peer: peer, claims: claims, userAgent: userAgent, authority: authority,
                socket: socket, messages: messages)
        }
    }

    /// Answers a request for `/ws` that did not become a socket.
    func refuse(_ request: Request) async throws(APIError) -> Response {
        _ = try await check(request.uri)
        throw .upgradeRequired()
    }

    private func check(_ uri: URI) async throws(APIError) -> (PeerID, RoomTokenClaims) {
        let parameters = uri.queryParameters
        let peer = parameters["peer"].flatMap { Limits.isPeerID($0) ? PeerID(String($0)) : nil }
        let claims = try await tokens.claims(of: String(parameters["token"] ?? ""), peer: peer)
        guard parameters["room"].map({ $0 == claims.room.rawValue }) ?? true else {
            throw .otherRoom(claims.room)
        }
        guard let peer else {
            throw .badRequest("peer is missing or not valid", "1 to 128 of A-Z, a-z, 0-9, - and _")
        }
        try await gateway.admit(peer: peer, claims: claims)
        return (peer, claims)
    }
}
