import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import Rooms
import Tokens

/// `POST /api/rooms/<room>/invitations`: room codes for a page whose user invites others. It needs
/// no management token, but the user must be in the room, and be allowed there to give roles.
struct InvitationRoutes: Sendable {
    let catalogue: Catalogue
    let gateway: any SignallingGateway & RoomControl
    let authority: TokenAuthority
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        router.post("/api/rooms/:room/invitations") { request, context in
            try await invitations(request, to: context.parameters.get("room"))
        }
    }

    private struct Order: RequestBody {
        static let fields = BodyFields(CodingKeys.self)

        var peer: String

        enum CodingKeys: String, CodingKey, CaseIterable { case peer = "peer_id" }
    }

    private func invitations(_ request: Request, to room: String?) async throws -> Response {
        let room = try RoomID(parameter: room)
        let order = try await JSON.decode(Order.self, from: request)
        guard Limits.isPeerID(order.peer) else { throw APIError.badRequest("peer_id is not valid") }
        let peer = PeerID(order.peer)
        let tokens = RoomTokenGuard(authority: authority, gateway: gateway, clock: clock)
        let claims = try await tokens.claims(of: BearerToken.read(request), peer: peer)
        guard claims.room == room else { throw APIError.otherRoom(claims.room) }
        // The role of the moment, not that of the token: somebody may have lost it since.
        let policy = try await gateway.policy(of: room)
        guard await gateway.isHere(peer, claims: claims),
            policy.role(try await gateway.peer(peer, in: room).role)?.permissions.changeRole == true
        else {
            throw APIError.forbidden(
                "you may not invite others", "their role needs the permission to change roles")
        }
        let known = try await catalogue.knownRoom(room)
        guard known.isEnabled else { throw APIError.roomDisabled(room) }
        let roles = policy.invitationRoles
        guard
            let codes = try await catalogue.makeRoomCodes(
                of: roles.map(\.name), areAll: false, room: room, at: clock(),
                newCode: RoomCode.random)
        else {
            throw APIError.tooManyRoomCodes()
        }
        return JSON.response([
            "invitations": roles.map { role in
                InvitationRole(role, code: codes.first { $0.role == role.name }?.code)
            }
        ])
    }
}

/// A role that pages offer to whoever is invited.
struct InvitationRole: Encodable {
    var role: String
    /// What it may publish.
    var publishes: [String]
    var code: String?

    init(_ role: Role, code: String? = nil) {
        self.role = role.name
        publishes = role.publishParams.allowed.map(\.rawValue).sorted()
        self.code = code
    }
}

extension Policy {
    /// The roles for guests: those without any right over others or over what leaves the room. If
    /// there is none, the one of the lowest rank.
    var invitationRoles: [Role] {
        let visible = roles.filter { !$0.isHidden }
        let plain = visible.filter { !$0.permissions.isOverOthers }
        return plain.isEmpty
            ? visible.max { $0.priority < $1.priority }.map { [$0] } ?? [] : plain
    }
}

extension Permissions {
    fileprivate var isOverOthers: Bool {
        endRoom || removeOthers || mute || unmute || changeRole || hlsStreaming || rtmpStreaming
            || browserRecording
    }
}
