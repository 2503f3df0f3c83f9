import MediaKernel
import Tokens

/// Reads the room tokens of those who come to a room's door.
struct RoomTokenGuard: Sendable {
    let authority: TokenAuthority
    let door: any RoomDoor
    let clock: @Sendable () -> UnixTime

    /// The claims of a token that lets its holder in. One that has expired lets back in the peer
    /// that is in the room with it: a call is not over because a token is.
    ///
    /// - Parameter peer: the id that the client chose, nil when it named none.
    func claims(
        of token: String, peer: PeerID?
    ) async throws(APIError) -> RoomTokenClaims {
        do {
            return try await authority.verifyRoomToken(token, at: clock()) { claims in
                guard let peer else { return false }
                return await door.isHere(peer, claims: claims)
            }
        } catch {
            throw .roomToken(error)
        }
    }
}
