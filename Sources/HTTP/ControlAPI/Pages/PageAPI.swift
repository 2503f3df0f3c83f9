import HTTPTypes
import Hummingbird
import MediaKernel
import Rooms
import Streams
import Tokens

/// The small API of the built-in pages, `/api/…`. It is public: anyone who knows a room can ask
/// whether it is on air. The list of rooms needs a management token unless the operator makes it
/// public, and room tokens are given out only if the operator allows it.
struct PageAPI: Sendable {
    let control: any LiveStreamControl
    let gateway: any SignallingGateway
    let authority: TokenAuthority
    let endpoints: Endpoints
    /// Whether anyone may get a room token: on for development, off otherwise.
    let handsOutTokens: Bool
    /// Whether anyone may get the list of rooms.
    let listsRooms: Bool
    let hlsScriptURL: String?
    /// From where pages may load images of people, as in `img-src`.
    let imageSources: [String]
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        router.get("/health") { _, _ in
            JSON.response(["status": "ok", "version": Version.current])
        }
        router.get("/api/config") { request, _ in try await configuration(request) }
        let list = Snapshot(find: { try await rooms() })
        router.group("/api/rooms")
            .add(
                middleware: ManagementGuard(authority: authority, isOpen: listsRooms, clock: clock)
            )
            .get("") { request, _ in
                var rooms = try await list.value()
                for index in rooms.indices {
                    rooms[index].hls.url = endpoints.address(rooms[index].hls.url, for: request)
                }
                return JSON.response(rooms)
            }
        router.post("/api/rooms/:room/token") { request, context in
            try await token(request, room: context.parameters.get("room"))
        }
    }

    private struct Configuration: Encodable {
        var hlsScriptURL: String?
        var openTokens: Bool
        var listsRooms: Bool
        var imageSources: [String]
        var roles: [String]
        /// The roles of whoever comes by a link that names none.
        var invitations: [InvitationRole]

        enum CodingKeys: String, CodingKey {
            case hlsScriptURL = "hls_js_url"
            case openTokens = "open_tokens"
            case listsRooms = "lists_rooms"
            case imageSources = "image_sources"
            case roles, invitations
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(hlsScriptURL, forKey: .hlsScriptURL)
            try container.encode(openTokens, forKey: .openTokens)
            try container.encode(listsRooms, forKey: .listsRooms)
            try container.encode(imageSources, forKey: .imageSources)
            try container.encode(roles, forKey: .roles)
            try container.encode(invitations, forKey: .invitations)
        }
    }

    /// A page's configuration; the page may name its room.
    private func configuration(_ request: Request) async throws(APIError) -> Response {
        var room: RoomID?
        if let text = request.uri.queryParameters["room"] { room = try RoomID(parameter: text) }
        var invitations: [InvitationRole] = []
        if let room, handsOutTokens {
            invitations = try await gateway.policy(of: room).invitationRoles
                .map { InvitationRole($0) }
        }
        return JSON.response(
            Configuration(
                hlsScriptURL: hlsScriptURL, openTokens: handsOutTokens, listsRooms: listsRooms,
                imageSources: imageSources,
                roles: handsOutTokens ? try await gateway.openRoles(of: room) : [],
                invitations: invitations))
    }

    private struct RoomBody: Encodable, Sendable {
        struct HLS: Encodable, Sendable {
            var state: String
            var url: String?

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(state, forKey: .state)
                try container.encode(url, forKey: .url)
            }

            enum CodingKeys: String, CodingKey { case state, url }
        }

        var id: RoomID
        var name: String
        var peerCount: Int
        var hls: HLS

        enum CodingKeys: String, CodingKey {
            case id
            case name
            case peerCount = "peer_count"
            case hls
        }
    }

    private func rooms() async throws -> [RoomBody] {
        var bodies: [RoomBody] = []
        for room in await gateway.rooms() {
            let stream = try await control.current(room: room.id, kind: .stream)
            bodies.append(
                RoomBody(
                    id: room.id, name: room.name, peerCount: room.peerCount,
                    hls: .init(
                        state: stream?.status.rawValue ?? "none", url: stream?.playback.url)))
        }
        return bodies
    }

    private struct TokenOrder: RequestBody {
        static let fields = BodyFields(CodingKeys.self)

        var role: String?
        var userID: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case role
            case userID = "user_id"
        }
    }

    private struct TokenBody: Encodable {
        var token: String
        var role: String
        var userID: String

        enum CodingKeys: String, CodingKey {
            case token
            case role
            case userID = "user_id"
        }
    }

    private func token(_ request: Request, room: String?) async throws -> Response {
        guard handsOutTokens else {
            throw APIError.forbidden(
                "this server does not hand out room tokens",
                "make one with the access key, or let the operator set pages.openTokens")
        }
        // A page of another site can send a form without asking first, but not JSON.
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true
        else { throw APIError.badRequest("the body must be application/json") }
        let room = try RoomID(parameter: room)
        let order = try await JSON.decode(TokenOrder.self, from: request)
        let roles = try await gateway.openRoles(of: room)
        // Nobody hosts a room by accident.
        let usual = try await gateway.policy(of: room).invitationRoles.first?.name
        guard let role = order.role ?? usual, roles.contains(role) else {
            throw APIError.badRequest(
                "role is not valid", "one of \(roles.joined(separator: ", "))")
        }
        let user = order.userID ?? "user-\(UInt32.random(in: 0...UInt32.max))"
        guard (1...Limits.userIDCharacters).contains(user.utf8.count) else {
            throw APIError.badRequest(
                "user_id is not valid", "1 to \(Limits.userIDCharacters) bytes")
        }
        let token = try authority.makeRoomToken(
            room: room, user: user, role: role, at: clock())
        return JSON.response(TokenBody(token: token, role: role, userID: user))
    }
}
