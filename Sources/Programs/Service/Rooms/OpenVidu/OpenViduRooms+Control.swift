import Clocks
import ControlAPI
import HTTPTypes
import MediaKernel
import OpenVidu
import RoomHost
import Rooms

/// OpenVidu's REST API: a session is a room that an application server has prepared, or in which
/// there are peers.
extension OpenViduRooms: OpenViduControl {
    func openSession(
        _ customID: RoomID?, _ terms: OpenViduSessionTerms
    ) async throws(APIError) -> JSONValue {
        var kept = OpenViduBook.Terms()
        kept.mediaMode = terms.mediaMode ?? kept.mediaMode
        kept.recordingMode = terms.recordingMode ?? kept.recordingMode
        kept.forcedVideoCodec = terms.forcedVideoCodec ?? kept.forcedVideoCodec
        kept.allowsTranscoding = terms.allowsTranscoding ?? kept.allowsTranscoding
        kept.recordings = terms.recordings.json
        let occupied = await directory.rooms().filter { $0.peerCount > 0 }.map(\.id)
        let session: OpenViduBook.Session
        do throws(OpenViduBook.Refusal) {
            session = try door.change { book throws(OpenViduBook.Refusal) in
                let now = UnixTime.now
                for room in occupied { book.occupied(room, at: now) }
                return try book.open(customID, kept, at: now)
            }
        } catch {
            throw APIError(error)
        }
        return await json(of: session)
    }

    func sessions() async -> [JSONValue] {
        var bodies: [JSONValue] = []
        for session in door.change({ $0.all }) { bodies.append(await json(of: session)) }
        return bodies
    }

    func session(_ room: RoomID) async throws(APIError) -> JSONValue {
        await json(of: try known(room))
    }

    func closeSession(_ room: RoomID) async throws(APIError) {
        _ = try known(room)
        _ = door.change { $0.close(room) }
        await directory.host(of: room)?.end(reason: "sessionClosedByServer")
    }

    func openConnection(
        in room: RoomID, _ request: OpenViduConnectionRequest, origin: String
    ) async throws(APIError) -> JSONValue {
        _ = try known(room)
        guard let role = OpenViduRole(rawValue: request.role) else {
            throw .badRequest("role is not valid")
        }
        _ = try await policyRole(for: role, in: room)
        let terms = ConnectionTerms(
            data: request.data, isRecorded: request.isRecorded,
            kurentoOptions: request.kurentoOptions, customIceServers: request.customIceServers)
        do throws(OpenViduBook.Refusal) {
            let grant = try door.change { book throws(OpenViduBook.Refusal) in
                try book.grant(in: room, role, terms, origin: origin, at: UnixTime.now)
            }
            return grant.json
        } catch {
            throw APIError(error)
        }
    }

    func connections(in room: RoomID) async throws(APIError) -> [JSONValue] {
        let session = try known(room)
        var bodies: [JSONValue] = []
        if let host = await directory.host(of: room) {
            bodies = await OpenViduEntrance(host).connections()
        }
        return bodies + session.grants.map { $0.json }
    }

    func connection(
        _ id: String, in room: RoomID
    ) async throws(APIError) -> JSONValue {
        try checkSession(room)
        for body in try await connections(in: room) {
            if case .object(let members) = body, members["id"] == .string(id) { return body }
        }
        throw .notFound("no such connection")
    }

    func closeConnection(_ id: String, in room: RoomID) async throws(APIError) {
        try checkSession(room)
        if door.change({ $0.revoke(connection: id, in: room) }) { return }
        guard let host = await directory.host(of: room), await OpenViduEntrance(host).disconnect(id)
        else {
            throw .notFound("no such connection")
        }
    }

    func changeConnection(
        _ id: String, in room: RoomID, role: String?, isRecorded: Bool?
    ) async throws(APIError) -> JSONValue {
        _ = try known(room)
        let wanted = role.flatMap { OpenViduRole(rawValue: $0) }
        var name: String?
        if let wanted { name = try await policyRole(for: wanted, in: room) }
        let grant = door.change {
            $0.change(connection: id, in: room, role: wanted, isRecorded: isRecorded)
        }
        if let grant { return grant.json }
        guard let host = await directory.host(of: room),
            await OpenViduEntrance(host).change(id, role: name, isRecorded: isRecorded)
        else { throw .notFound("no such connection") }
        return try await connection(id, in: room)
    }

    func unpublish(_ stream: String, in room: RoomID) async throws(APIError) {
        try checkSession(room)
        guard let host = await directory.host(of: room) else {
            throw .notFound("no such stream")
        }
        switch await OpenViduEntrance(host).unpublish(stream) {
        case .done: break
        case .unknown: throw .notFound("no such stream")
        case .foreign:
            throw .notAllowed("a client of another protocol publishes it; put it out instead")
        }
    }

    func signal(_ signal: OpenViduSignal, in room: RoomID) async throws(APIError) {
        _ = try known(room)
        guard let host = await directory.host(of: room) else {
            throw .notAcceptable("the session has no connected participants")
        }
        let result = await OpenViduEntrance(host).signal(
            to: signal.targets, type: signal.type, data: signal.data)
        switch result {
        case .sent: break
        case .nobodyIsHere: throw .notAcceptable("the session has no connected participants")
        case .unknownTarget:
            throw .notAcceptable("\"to\" array has no valid connection identifiers")
        case .refused(let reason): throw .badRequest(reason)
        }
    }

    /// What concerns a connection or a stream has another status than what concerns the session.
    private func checkSession(_ room: RoomID) throws(APIError) {
        guard door.change({ $0.session(room) }) != nil else { throw .badRequest("no such session") }
    }

    /// The name of the policy's role for clients with this one.
    private func policyRole(
        for role: OpenViduRole, in room: RoomID
    ) async throws(APIError) -> String {
        guard let name = role.role(in: try await directory.policy(of: room))?.name else {
            throw .badRequest("the room's policy has no role for \(role.rawValue)")
        }
        return name
    }

    func known(_ room: RoomID) throws(APIError) -> OpenViduBook.Session {
        guard let session = door.change({ $0.session(room) }) else {
            throw .notFound("no such session")
        }
        return session
    }

    private func json(of session: OpenViduBook.Session) async -> JSONValue {
        var active: [JSONValue] = []
        var isRecording = false
        if let host = await directory.host(of: session.room) {
            (active, isRecording) = await OpenViduEntrance(host).summary()
        }
        let connections = active + session.grants.map { $0.json }
        let id = JSONValue.string(session.room.rawValue)
        return .object([
            "id": id, "sessionId": id, "object": "session",
            "createdAt": .integer(session.createdAt.milliseconds),
            "mediaMode": .string(session.terms.mediaMode),
            "recordingMode": .string(session.terms.recordingMode),
            "forcedVideoCodec": .string(session.terms.forcedVideoCodec),
            "allowTranscoding": .bool(session.terms.allowsTranscoding),
            "customSessionId": session.isCustom ? id : "",
            "defaultRecordingProperties": session.terms.recordings,
            "recording": .bool(isRecording), "broadcasting": .bool(false),
            "connections": .object([
                "numberOfElements": .integer(Int64(connections.count)),
                "content": .array(connections),
            ]),
        ])
    }
}

extension OpenViduBook.Grant {
    fileprivate var json: JSONValue {
        let id = JSONValue.string(connectionID)
        return .object([
            "id": id, "connectionId": id, "object": "connection", "type": "WEBRTC",
            "status": "pending", "sessionId": .string(room.rawValue),
            "createdAt": .integer(createdAt.milliseconds), "activeAt": .null, "location": .null,
            "ip": .null, "platform": .null, "token": .string(address),
            "serverData": .string(terms.data), "clientData": .null,
            "record": .bool(terms.isRecorded), "role": .string(role.rawValue),
            "kurentoOptions": terms.kurentoOptions,
            "customIceServers": .array(terms.customIceServers), "publishers": .null,
            "subscribers": .null,
        ])
    }
}

extension APIError {
    fileprivate init(_ refusal: OpenViduBook.Refusal) {
        switch refusal {
        case .exists: self = .conflict("the session exists")
        case .unknownSession: self = .notFound("no such session")
        case .tooMany(let maximum): self = .unavailable("there may be \(maximum) of them")
        }
    }
}
