import Hummingbird
import MediaKernel
import Rooms
import Tokens

/// Admits requests of peers who are in a room, by their room token and their id, to what their
/// present role allows: a role may change while the token stays the same.
struct RoomPeerGuard: Sendable {
    let tokens: RoomTokenGuard
    let gateway: any SignallingGateway & RoomControl

    /// - Returns: what the peer that asks may do in the room.
    /// - Throws: a 401 without a valid token; a 403 for another room's, and for a peer that is not in
    ///   the room with it.
    func permissions(
        of request: Request, in room: RoomID
    ) async throws(APIError) -> Permissions {
        let text = request.uri.queryParameters["peer_id"]
        let peer = text.flatMap { Limits.isPeerID($0) ? PeerID(String($0)) : nil }
        let claims = try await tokens.claims(of: BearerToken.read(request), peer: peer)
        guard claims.room == room else { throw .forbidden("the token is for another room") }
        guard let peer else {
            throw .badRequest("peer_id is not valid", "the id with which the peer joined")
        }
        guard await gateway.isHere(peer, claims: claims) else {
            throw .forbidden("the peer is not in the room with this token")
        }
        let role = try await gateway.peer(peer, in: room).role
        return try await gateway.policy(of: room).role(role)?.permissions ?? Permissions()
    }

    /// - Throws: also a 403 for a peer whose role may not stream.
    func checkMayStream(_ request: Request, in room: RoomID) async throws(APIError) {
        guard try await permissions(of: request, in: room).hlsStreaming else {
            throw .forbidden("the role may not stream")
        }
    }

    /// - Throws: also a 403 for a peer whose role may not record.
    func checkMayRecord(_ request: Request, in room: RoomID) async throws(APIError) {
        guard try await permissions(of: request, in: room).browserRecording else {
            throw .forbidden("the role may not record")
        }
    }
}
