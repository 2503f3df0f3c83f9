import Catalogue
import Foundation
import HTTPTypes
import Hummingbird
import MediaKernel
import Rooms
import Tokens

/// 100ms' control API for room codes, `/v2/room-codes`, guarded by a management token.
struct RoomCodeRoutes: Sendable {
    let catalogue: Catalogue
    let gateway: any SignallingGateway
    let authority: TokenAuthority
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/room-codes", by: authority, clock: clock)
        group.post("/room/:room") { request, context in
            try await NoBody.check(request)
            return try await makeAll(room: context.parameters.get("room"))
        }
        group.post("/room/:room/role/:role") { request, context in
            try await NoBody.check(request)
            return try await make(
                room: context.parameters.get("room"),
                role: context.parameters.get("role")?.removingPercentEncoding)
        }
        group.get("/room/:room") { request, context in
            try await list(request, room: context.parameters.get("room"))
        }
        group.post("/code") { request, _ in try await update(request) }
    }

    private func makeAll(room: String?) async throws -> Response {
        let room = try await enabledRoom(room)
        let roles = try await gateway.policy(of: room).visibleRoleNames
        let codes = try await codes(of: roles, areAll: true, room: room)
        return JSON.response(["data": codes.map { RoomCodeBody(code: $0) }])
    }

    private func make(room: String?, role: String?) async throws -> Response {
        let room = try await enabledRoom(room)
        let role = try await knownRole(role, in: room)
        let codes = try await codes(of: [role], areAll: false, room: room)
        guard let code = codes.first else { throw APIError.internal() }
        return JSON.response(RoomCodeBody(code: code))
    }

    private func codes(
        of roles: [String], areAll: Bool, room: RoomID
    ) async throws -> [RoomCode] {
        guard
            let codes = try await catalogue.makeRoomCodes(
                of: roles, areAll: areAll, room: room, at: clock(), newCode: RoomCode.random)
        else {
            throw APIError.tooManyRoomCodes()
        }
        return codes
    }

    private func list(_ request: Request, room: String?) async throws -> Response {
        let parameters = ListParameters(request)
        var query = RoomCodeQuery(room: try await enabledRoom(room))
        if let role = parameters["role"] {
            query.role = try await knownRole(String(role), in: query.room)
        }
        query.isEnabled = try parameters.flag("enabled")
        query.start = try parameters.start()
        query.limit = try parameters.limit() ?? query.limit
        let page = try await catalogue.roomCodes(query)
        return JSON.response(
            ListBody(
                limit: query.limit, data: page.records.map { RoomCodeBody(code: $0) },
                last: page.last ?? ""))
    }

    private struct Change: RequestBody {
        /// A caller may change a response and send it back with its other fields.
        static let fields = BodyFields(
            CodingKeys.self, passed: ["room_id", "role", "created_at", "updated_at"])

        var code: String
        var enabled: Bool

        enum CodingKeys: String, CodingKey, CaseIterable { case code, enabled }
    }

    private func update(_ request: Request) async throws -> Response {
        let change = try await JSON.decode(Change.self, from: request)
        guard Limits.isIdentifier(change.code),
            let found = try await catalogue.roomCode(change.code)
        else { throw APIError.notFound("room code not found") }
        // Codes can be disabled even if the room's policy is unusable.
        if change.enabled {
            let roles = try await gateway.policy(of: found.room).visibleRoleNames
            guard roles.contains(found.role) else {
                throw APIError.forbidden(
                    "room code cannot be enabled", "the room has no role '\(found.role)'")
            }
        }
        let code = try await catalogue.setRoomCode(
            found.code, isEnabled: change.enabled, at: clock())
        return JSON.response(RoomCodeBody(code: code ?? found))
    }

    private func enabledRoom(_ room: String?) async throws -> RoomID {
        let room = try await catalogue.knownRoom(try RoomID(parameter: room))
        guard room.isEnabled else { throw APIError.roomDisabled(room.id) }
        return room.id
    }

    private func knownRole(_ role: String?, in room: RoomID) async throws(APIError) -> String {
        let roles = try await gateway.policy(of: room).visibleRoleNames
        guard let role, roles.contains(role) else {
            throw .notFound("role not found", "one of \(roles.joined(separator: ", "))")
        }
        return role
    }
}

/// A room code in the control API: 100ms' object.
private struct RoomCodeBody: Encodable {
    var code: RoomCode

    enum CodingKeys: String, CodingKey {
        case code, role, enabled
        case roomID = "room_id"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code.code, forKey: .code)
        try container.encode(code.room, forKey: .roomID)
        try container.encode(code.role, forKey: .role)
        try container.encode(code.isEnabled, forKey: .enabled)
        try container.encode(
            code.createdAt.description, forKey: .createdAt)
        try container.encode(
            code.updatedAt.description, forKey: .updatedAt)
    }
}

extension RoomCode {
    /// Ten letters in groups, as in 100ms, from the system's random numbers: `abc-defg-hij`.
    static let random: @Sendable () -> String = {
        [3, 4, 3].map { count in
            String((0..<count).compactMap { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() })
        }.joined(separator: "-")
    }
}
