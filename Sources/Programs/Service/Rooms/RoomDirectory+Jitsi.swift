import Clocks
import ControlAPI
import HTTPTypes
public import Jitsi
public import MediaKernel
public import RoomHost
import Tokens
public import XMPP

/// Jitsi's clients meet in rooms like any others.
extension RoomDirectory: ConferenceRooms {
    public func room(_ id: RoomID) async throws(StanzaError) -> RoomHost {
        guard let role = jitsiRole else { throw StanzaError("service-unavailable", .cancel) }
        let claims = RoomTokenClaims(
            room: id, user: "jitsi", role: role, issuedAt: .now, expiresAt: .now, tokenID: "")
        do throws(APIError) {
            return try await admitted(claims)
        } catch {
            switch error.status {
            case .notFound: throw StanzaError("item-not-found", .cancel, text: error.message)
            case .serviceUnavailable:
                throw StanzaError("resource-constraint", .wait, text: error.message)
            default: throw StanzaError("not-allowed", .cancel, text: error.message)
            }
        }
    }
}
