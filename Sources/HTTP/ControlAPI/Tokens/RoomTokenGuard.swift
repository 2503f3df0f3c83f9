import MediaKernel
import Tokens

/// Verifies the room tokens of clients.
struct RoomTokenGuard: Sendable {
    let authority: TokenAuthority
    let gateway: any SignallingGateway
    let clock: @Sendable () -> UnixTime

    /// The claims of a valid token. An expired token still readmits the peer that is in the room
    /// with it: a call does not end with its token.
    ///
    /// - Parameter peer: the id that the client chose; nil without one.
    func claims(
        of token: String, peer: PeerID?
    ) async throws(APIError) -> RoomTokenClaims {
        do {
            return try await authority.verifyRoomToken(token, at: clock()) { claims in
                guard let peer else { return false }
                return await gateway.isHere(peer, claims: claims)
            }
        } catch {
            throw .roomToken(error)
        }
    }
}
