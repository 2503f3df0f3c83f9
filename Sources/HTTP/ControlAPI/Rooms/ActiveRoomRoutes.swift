import HTTPTypes
import Hummingbird
import MediaKernel
import Rooms
import Tokens

/// 100ms' control API for rooms with peers, `/v2/active-rooms`, guarded by a management token.
struct ActiveRoomRoutes: Sendable {
    let control: any RoomControl
    let authority: TokenAuthority
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/active-rooms/:room", by: authority, clock: clock)
        group.get("") { _, context in
            let room = try await activeRoom(context)
            return JSON.response(ActiveRoomBody(room, account: authority.accessKey))
        }
        group.get("/peers") { request, context in try await peers(request, context) }
        group.get("/peers/:peer") { _, context in try await peer(context) }
        group.post("/peers/:peer") { request, context in try await change(request, context) }
        group.post("/send-message") { request, context in try await send(request, context) }
        group.post("/remove-peers") { request, context in try await remove(request, context) }
        group.post("/end-room") { request, context in try await end(request, context) }
    }

    private func peers(
        _ request: Request, _ context: some RequestContext
    ) async throws -> Response {
        let parameters = ListParameters(request)
        let (user, role) = (parameters["user_id"], parameters["role"])
        let found = try await activeRoom(context).peers.filter { peer in
            user.map { peer.userID == $0 } ?? true && role.map { peer.role == $0 } ?? true
        }
        let bodies = found.map { ($0.id.rawValue, PeerBody($0, withTracks: false)) }
        return JSON.response(["peers": Dictionary(bodies) { first, _ in first }])
    }

    private func peer(_ context: some RequestContext) async throws -> Response {
        let peer = try await control.peer(try peerID(context), in: try roomID(context))
        return JSON.response(PeerBody(peer, withTracks: true))
    }

    private func change(
        _ request: Request, _ context: some RequestContext
    ) async throws -> Response {
        let body = try await JSON.decode(PeerRequestBody.self, from: request)
        let peer = try await control.change(
            try peerID(context), in: try roomID(context), name: body.name,
            metadata: try body.metadataText, role: body.role)
        return JSON.response(PeerBody(peer, withTracks: true))
    }

    private func send(
        _ request: Request, _ context: some RequestContext
    ) async throws -> Response {
        let body = try await JSON.decode(MessageRequestBody.self, from: request)
        try await control.send(
            body.body, type: body.type ?? "chat", to: body.audience, in: try roomID(context))
        return JSON.response(["message": "message sent"])
    }

    private func remove(
        _ request: Request, _ context: some RequestContext
    ) async throws -> Response {
        let body = try await JSON.decode(RemovalRequestBody.self, from: request)
        let (room, reason) = (try roomID(context), try reason(body.reason))
        switch try body.subject {
        case .peer(let peer): try await control.remove(peer, from: room, reason: reason)
        case .role(let role): try await control.remove(role: role, from: room, reason: reason)
        }
        return JSON.response(["message": "peer remove request submitted"])
    }

    private func end(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let body = try await JSON.decode(EndRequestBody.self, from: request)
        try await control.end(
            try roomID(context), isLocked: body.lock ?? false, reason: try reason(body.reason))
        return JSON.response(["message": "session is ending"])
    }

    private func activeRoom(_ context: some RequestContext) async throws -> ActiveRoom {
        let id = try roomID(context)
        guard let room = await control.activeRoom(id) else { throw APIError.inactiveRoom(id) }
        return room
    }

    private func roomID(_ context: some RequestContext) throws(APIError) -> RoomID {
        try RoomID(parameter: context.parameters.get("room"))
    }

    private func peerID(_ context: some RequestContext) throws(APIError) -> PeerID {
        guard let text = context.parameters.get("peer"), Limits.isPeerID(text) else {
            throw .badRequest(
                "peer_id is not valid",
                "1 to \(Limits.peerIDCharacters) of A-Z, a-z, 0-9, - and _")
        }
        return PeerID(text)
    }

    private func reason(_ text: String?) throws(APIError) -> String {
        let text = text ?? ""
        guard text.utf8.count <= RoomLimits.descriptionBytes else {
            throw .badRequest("reason is not valid", "at most \(RoomLimits.descriptionBytes) bytes")
        }
        return text
    }
}
