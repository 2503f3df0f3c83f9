import HTTPTypes
import Hummingbird
import MediaKernel

/// OpenVidu's REST API of sessions, connections, streams and signals: `/openvidu/api`.
struct OpenViduRoutes: Sendable {
    /// Addressees of one signal.
    private static let targetsMaximum = 100
    private static let typeBytes = 128

    let control: any OpenViduControl
    let endpoints: Endpoints
    let doorkeeper: OpenViduDoorkeeper

    func add(to router: Router<CallerContext>) {
        let session = "sessions/:session"
        let connections = "\(session)/connection"
        let connection = "\(connections)/:connection"
        let stream = "\(session)/stream/:stream"
        doorkeeper.add(.post, "sessions", to: router) { request, _ async throws(APIError) in
            try await openSession(request)
        }
        doorkeeper.add(.get, "sessions", to: router) { _, _ async throws(APIError) in
            Self.list(await control.sessions())
        }
        doorkeeper.add(.get, session, to: router) { _, context async throws(APIError) in
            JSON.response(try await control.session(try Self.room(context)))
        }
        doorkeeper.add(.delete, session, to: router) { _, context async throws(APIError) in
            try await control.closeSession(try Self.room(context))
            return Response(status: .noContent)
        }
        doorkeeper.add(.post, connections, to: router) {
            request, context async throws(APIError) in
            try await openConnection(request, in: try Self.room(context))
        }
        doorkeeper.add(.get, connections, to: router) { _, context async throws(APIError) in
            Self.list(try await control.connections(in: try Self.room(context)))
        }
        doorkeeper.add(.get, connection, to: router) { _, context async throws(APIError) in
            JSON.response(
                try await control.connection(
                    try Self.connection(context), in: try Self.room(context)))
        }
        doorkeeper.add(.patch, connection, to: router) {
            request, context async throws(APIError) in
            try await changeConnection(request, context)
        }
        doorkeeper.add(.delete, connection, to: router) { _, context async throws(APIError) in
            try await control.closeConnection(
                try Self.connection(context), in: try Self.room(context))
            return Response(status: .noContent)
        }
        doorkeeper.add(.delete, stream, to: router) { _, context async throws(APIError) in
            guard let id = context.parameters.get("stream"), id.utf8.count <= 256 else {
                throw .notFound("no such stream")
            }
            try await control.unpublish(String(id), in: try Self.room(context))
            return Response(status: .noContent)
        }
        doorkeeper.add(.post, "signal", to: router) { request, _ async throws(APIError) in
            try await signal(request)
        }
        doorkeeper.add(.post, "tokens", to: router) { request, _ async throws(APIError) in
            try await makeToken(request)
        }
        doorkeeper.addPreflights(
            ["sessions", session, connections, connection, stream, "signal", "tokens"],
            to: router)
    }

    // MARK: - Requests

    private func openSession(_ request: Request) async throws(APIError) -> Response {
        let body = try await OpenViduBody(request)
        let customID = try body.text("customSessionId").flatMap { $0.isEmpty ? nil : $0 }
        var room: RoomID?
        if let customID {
            guard RoomID.isValid(customID) else {
                throw .badRequest("customSessionId must be 1 to 64 of A-Z, a-z, 0-9, - and _")
            }
            room = RoomID(customID)
        }
        let terms = OpenViduSessionTerms(
            mediaMode: try body.word("mediaMode", of: ["ROUTED", "RELAYED"]),
            recordingMode: try body.word("recordingMode", of: ["MANUAL", "ALWAYS"]),
            forcedVideoCodec: try body.word(
                "forcedVideoCodec", of: ["MEDIA_SERVER_PREFERRED", "NONE", "VP8", "VP9", "H264"]),
            allowsTranscoding: try body.flag("allowTranscoding"),
            recordings: try Self.recordings(body))
        return JSON.response(try await control.openSession(room, terms))
    }

    private static func recordings(
        _ body: OpenViduBody
    ) throws(APIError) -> OpenViduRecordingProperties {
        guard let given = try body.object("defaultRecordingProperties") else {
            return OpenViduRecordingProperties()
        }
        do throws(APIError) {
            return try OpenViduRecordingProperties(given)
        } catch {
            throw .badRequest(
                "Parameter 'defaultRecordingProperties' is not valid: \(error.message)")
        }
    }

    private func signal(_ request: Request) async throws(APIError) -> Response {
        let body = try await OpenViduBody(request)
        guard let session = try body.text("session") else {
            throw .badRequest("\"session\" parameter is mandatory")
        }
        guard RoomID.isValid(session) else { throw .notFound("no such session") }
        try await control.signal(
            OpenViduSignal(
                targets: try body.texts("to", count: Self.targetsMaximum) ?? [],
                type: try body.text("type", maximum: Self.typeBytes) ?? "",
                data: try body.text("data") ?? ""), in: RoomID(session))
        return Response(status: .ok)
    }

    private func changeConnection(
        _ request: Request, _ context: CallerContext
    ) async throws(APIError) -> Response {
        let body = try await OpenViduBody(request)
        return JSON.response(
            try await control.changeConnection(
                try Self.connection(context), in: try Self.room(context),
                role: try body.word("role", of: Self.roles), isRecorded: try body.flag("record")))
    }

    /// Of JSON, in `kurentoOptions`, and in `customIceServers`.
    private static let optionsBytes = 2048
    private static let roles = ["SUBSCRIBER", "PUBLISHER", "MODERATOR"]

    private func openConnection(
        _ request: Request, in room: RoomID
    ) async throws(APIError) -> Response {
        let body = try await OpenViduBody(request)
        guard try body.word("type", of: ["WEBRTC", "IPCAM"]) ?? "WEBRTC" == "WEBRTC" else {
            throw .badRequest("connections of type IPCAM are not supported")
        }
        return JSON.response(
            try await control.openConnection(
                in: room, try Self.connection(body), origin: origin(for: request)))
    }

    /// The older form, with the session in the body.
    private func makeToken(_ request: Request) async throws(APIError) -> Response {
        let body = try await OpenViduBody(request)
        guard let session = try body.text("session"), RoomID.isValid(session) else {
            throw .badRequest("session is missing or not valid")
        }
        let connection = try Self.connection(body)
        let made = try await control.openConnection(
            in: RoomID(session), connection, origin: origin(for: request))
        guard case .object(let members) = made else { throw .internal() }
        return JSON.response(
            JSONValue.object([
                "id": members["token"] ?? .null, "token": members["token"] ?? .null,
                "connectionId": members["connectionId"] ?? .null,
                "createdAt": members["createdAt"] ?? .null, "session": .string(session),
                "data": .string(connection.data), "role": .string(connection.role),
            ]))
    }

    private static func connection(
        _ body: OpenViduBody
    ) throws(APIError) -> OpenViduConnectionRequest {
        let data = try body.text("data", maximum: 8192) ?? ""
        return OpenViduConnectionRequest(
            role: try body.word("role", of: roles)
                ?? "PUBLISHER",
            data: data, isRecorded: try body.flag("record") ?? true,
            kurentoOptions: try body.keptObject("kurentoOptions", maximum: Self.optionsBytes)
                ?? .null,
            customIceServers: try body.keptObjects("customIceServers", maximum: Self.optionsBytes))
    }

    private func origin(for request: Request) -> String {
        let base = endpoints.base(for: request)
        return base.hasPrefix("https") ? "wss" + base.dropFirst(5) : "ws" + base.dropFirst(4)
    }

    private static func room(_ context: CallerContext) throws(APIError) -> RoomID {
        guard let text = context.parameters.get("session"), RoomID.isValid(text) else {
            throw .notFound("no such session")
        }
        return RoomID(text)
    }

    private static func connection(_ context: CallerContext) throws(APIError) -> String {
        guard let id = context.parameters.get("connection"), id.utf8.count <= 128 else {
            throw .notFound("no such connection")
        }
        return id
    }

    // MARK: - Answers

    private static func list(_ items: [JSONValue]) -> Response {
        JSON.response(
            JSONValue.object([
                "numberOfElements": .integer(Int64(items.count)), "content": .array(items),
            ]))
    }
}
