import Clocks
import Digests
import HTTPTypes
import Hummingbird
import MediaKernel

/// OpenVidu's REST API, as far as it makes sessions and tokens: `/openvidu/api`, for callers with
/// the secret.
struct OpenViduRoutes: Sendable {
    private static let base = "/openvidu/api"
    private static let user = "OPENVIDUAPP"

    let secret: String
    let control: any OpenViduControl
    let endpoints: Endpoints
    private let gate: GuessGate

    init(
        secret: String, control: any OpenViduControl, endpoints: Endpoints, gate: GuessGate
    ) {
        self.secret = secret
        self.control = control
        self.endpoints = endpoints
        self.gate = gate
    }

    private typealias Handler =
        @Sendable (Request, CallerContext) async throws(APIError) -> Response

    func add(to router: Router<CallerContext>) {
        let sessions = "\(Self.base)/sessions"
        let session = "\(sessions)/:session"
        let connections = "\(session)/connection"
        let connection = "\(connections)/:connection"
        add(.post, sessions, to: router) { request, _ async throws(APIError) in
            try await openSession(request)
        }
        add(.get, sessions, to: router) { _, _ async throws(APIError) in
            Self.list(await control.sessions())
        }
        add(.get, session, to: router) { _, context async throws(APIError) in
            JSON.response(try await control.session(try Self.room(context)))
        }
        add(.delete, session, to: router) { _, context async throws(APIError) in
            try await control.closeSession(try Self.room(context))
            return Response(status: .noContent)
        }
        add(.post, connections, to: router) { request, context async throws(APIError) in
            try await openConnection(request, in: try Self.room(context))
        }
        add(.get, connections, to: router) { _, context async throws(APIError) in
            Self.list(try await control.connections(in: try Self.room(context)))
        }
        add(.get, connection, to: router) { _, context async throws(APIError) in
            JSON.response(
                try await control.connection(
                    try Self.connection(context), in: try Self.room(context)))
        }
        add(.delete, connection, to: router) { _, context async throws(APIError) in
            try await control.closeConnection(
                try Self.connection(context), in: try Self.room(context))
            return Response(status: .noContent)
        }
        add(.post, "\(Self.base)/tokens", to: router) { request, _ async throws(APIError) in
            try await makeToken(request)
        }
        for path in [sessions, session, connections, connection, "\(Self.base)/tokens"] {
            router.on(RouterPath(path), method: .options) { _, _ in
                CrossOrigin.preflight("GET, POST, DELETE")
            }
        }
    }

    private func add(
        _ method: HTTPRequest.Method, _ path: String, to router: Router<CallerContext>,
        _ handler: @escaping Handler
    ) {
        router.on(RouterPath(path), method: method) { request, context in
            var response: Response
            do throws(APIError) {
                try check(request, context)
                response = try await handler(request, context)
            } catch {
                response = Self.answer(error, to: request)
            }
            response.headers.append(contentsOf: CrossOrigin.headers)
            return response
        }
    }

    // MARK: - Requests

    private func openSession(_ request: Request) async throws(APIError) -> Response {
        let body = try await Body(request)
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
            allowsTranscoding: try body.flag("allowTranscoding"))
        return JSON.response(try await control.openSession(room, terms))
    }

    private func openConnection(
        _ request: Request, in room: RoomID
    ) async throws(APIError) -> Response {
        let body = try await Body(request)
        guard try body.word("type", of: ["WEBRTC", "IPCAM"]) ?? "WEBRTC" == "WEBRTC" else {
            throw .badRequest("connections of type IPCAM are not supported")
        }
        return JSON.response(
            try await control.openConnection(
                in: room, try Self.connection(body), origin: origin(for: request)))
    }

    /// The older form, with the session in the body.
    private func makeToken(_ request: Request) async throws(APIError) -> Response {
        let body = try await Body(request)
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
        _ body: Body
    ) throws(APIError) -> OpenViduConnectionRequest {
        let data = try body.text("data") ?? ""
        guard data.utf8.count <= 8192 else { throw .badRequest("data has more than 8192 bytes") }
        return OpenViduConnectionRequest(
            role: try body.word("role", of: ["SUBSCRIBER", "PUBLISHER", "MODERATOR"])
                ?? "PUBLISHER",
            data: data, isRecorded: try body.flag("record") ?? true)
    }

    private func origin(for request: Request) -> String {
        let base = endpoints.base(for: request)
        return base.hasPrefix("https") ? "wss" + base.dropFirst(5) : "ws" + base.dropFirst(4)
    }

    // MARK: - Access

    private func check(_ request: Request, _ context: CallerContext) throws(APIError) {
        let caller = GuessGate.caller(of: request.headers, from: context.remoteAddress)
        guard gate.isOpen(to: caller) else { throw .tooManyRequests("too many wrong secrets") }
        let expected = Array("\(Self.user):\(secret)".utf8)
        // Hashes, so that the time says nothing about the secret.
        guard Digest.sha256.hash(Self.credentials(of: request)) == Digest.sha256.hash(expected)
        else {
            gate.failed(caller)
            throw APIError(
                .unauthorized, "the secret is missing or wrong",
                headers: [.wwwAuthenticate: "Basic realm=\"openvidu\""])
        }
    }

    /// RFC 7617; empty without any.
    private static func credentials(of request: Request) -> [UInt8] {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic" else { return [] }
        return Base64.bytes(parts[1]) ?? []
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

    /// In OpenVidu's form; a conflict has no body.
    private static func answer(_ error: APIError, to request: Request) -> Response {
        guard error.status != .conflict else { return Response(status: .conflict) }
        let details = error.details.isEmpty ? "" : ": " + error.details.joined(separator: "; ")
        return JSON.response(
            JSONValue.object([
                "timestamp": .integer(UnixTime.now.milliseconds),
                "status": .integer(Int64(error.status.code)),
                "error": .string(error.status.reasonPhrase),
                "message": .string(error.message + details), "path": .string(request.uri.path),
            ]), status: error.status, headers: error.headers)
    }

    /// A body whose unknown fields are ignored: clients of all versions send many.
    private struct Body {
        private let root: JSONElement

        init(_ request: Request) async throws(APIError) {
            let text = try await RequestText.read(request, maximum: 64 * 1024)
            let isBlank = text.allSatisfy(\.isWhitespace)
            do {
                root = try JSONDocument(isBlank ? "{}" : text, limits: .standard).root
            } catch {
                throw .badRequest("the body is \(error)")
            }
            guard root.isObject else { throw .badRequest("the body is not an object") }
        }

        func text(_ name: String) throws(APIError) -> String? {
            guard let member = root.member(name), !member.isNull else { return nil }
            guard let text = try? member.decode(String.self) else {
                throw .badRequest("\(name) must be a text")
            }
            return text
        }

        func flag(_ name: String) throws(APIError) -> Bool? {
            guard let member = root.member(name), !member.isNull else { return nil }
            guard let flag = try? member.decode(Bool.self) else {
                throw .badRequest("\(name) must be true or false")
            }
            return flag
        }

        func word(_ name: String, of words: [String]) throws(APIError) -> String? {
            guard let text = try text(name) else { return nil }
            guard words.contains(text) else {
                throw .badRequest("\(name) must be one of \(words.joined(separator: ", "))")
            }
            return text
        }
    }
}
