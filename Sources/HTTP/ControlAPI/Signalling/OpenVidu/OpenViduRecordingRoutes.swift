import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore

/// OpenVidu's REST API of recordings, `/openvidu/api/recordings`, and their files at OpenVidu's
/// addresses, `/openvidu/recordings/<id>/<name>.mp4`.
struct OpenViduRecordingRoutes: Sendable {
    private static let files = "/openvidu/recordings"
    /// An id is a session's and a number; a file's name is at most a name and its ending.
    private static let nameBytes = 160

    let control: any OpenViduRecordingControl
    let endpoints: Endpoints
    let doorkeeper: OpenViduDoorkeeper
    let assets: AssetOrigin

    func add(to router: Router<CallerContext>) {
        let recording = "recordings/:recording"
        doorkeeper.add(.post, "recordings/start", to: router) {
            request, _ async throws(APIError) in
            try await start(request)
        }
        doorkeeper.add(.post, "recordings/stop/:recording", to: router) {
            request, context async throws(APIError) in
            JSON.response(
                try await control.stopRecording(try Self.id(context), for: caller(of: request)))
        }
        doorkeeper.add(.get, "recordings", to: router) { request, _ async throws(APIError) in
            let items = try await control.recordings(for: caller(of: request))
            return JSON.response(
                JSONValue.object([
                    "count": .integer(Int64(items.count)), "items": .array(items),
                ]))
        }
        doorkeeper.add(.get, recording, to: router) { request, context async throws(APIError) in
            JSON.response(
                try await control.recording(try Self.id(context), for: caller(of: request)))
        }
        doorkeeper.add(.delete, recording, to: router) { _, context async throws(APIError) in
            try await control.deleteRecording(try Self.id(context))
            return Response(status: .noContent)
        }
        doorkeeper.addPreflights(
            ["recordings", "recordings/start", "recordings/stop/:recording", recording],
            to: router)
        doorkeeper.add(
            .get, at: "\(Self.files)/:recording/:file", to: router, isOpen: control.opensFiles
        ) { request, context async throws(APIError) in
            try await file(request, context)
        }
        addConfiguration(to: router)
    }

    private func addConfiguration(to router: Router<CallerContext>) {
        doorkeeper.add(.get, "config", to: router) { request, _ async throws(APIError) in
            JSON.response(control.configuration(for: caller(of: request)))
        }
        // As text, and the address to everybody.
        let parts = [
            ("openvidu-publicurl", "OPENVIDU_PUBLICURL"), ("openvidu-version", "VERSION"),
            ("openvidu-recording", "OPENVIDU_RECORDING"), ("openvidu-cdr", "OPENVIDU_CDR"),
        ]
        for (path, key) in parts {
            doorkeeper.add(
                .get, "config/\(path)", to: router, isOpen: path == "openvidu-publicurl"
            ) { request, _ async throws(APIError) in
                guard
                    case .object(let members) = control.configuration(for: caller(of: request))
                else { throw .internal() }
                let text =
                    switch members[key] {
                    case .string(let text): text
                    case .bool(let flag): "\(flag)"
                    default: ""
                    }
                return Response(
                    status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
                    body: .init(byteBuffer: ByteBuffer(string: text)))
            }
        }
    }

    private func start(_ request: Request) async throws(APIError) -> Response {
        let body = try await OpenViduBody(request)
        guard let session = try body.text("session") else {
            throw .badRequest("\"session\" parameter is mandatory")
        }
        guard RoomID.isValid(session) else { throw .notFound("no such session") }
        return JSON.response(
            try await control.startRecording(
                of: RoomID(session), body, for: caller(of: request)))
    }

    private func file(
        _ request: Request, _ context: CallerContext
    ) async throws(APIError) -> Response {
        let id = try Self.id(context)
        guard let name = context.parameters.get("file"), name.utf8.count <= Self.nameBytes,
            let file = try await control.recordingFile(String(name), of: id)
        else { throw .notFound("no such file") }
        do {
            return try await assets.respond(to: request, with: file, named: String(name))
        } catch let error as APIError {
            throw error
        } catch {
            throw .internal()
        }
    }

    private func caller(of request: Request) -> OpenViduCallerView {
        OpenViduCallerView(
            base: endpoints.base(for: request), authorities: endpoints.authorities(for: request))
    }

    private static func id(_ context: CallerContext) throws(APIError) -> String {
        guard let id = context.parameters.get("recording"), id.utf8.count <= nameBytes else {
            throw .notFound("no such recording")
        }
        return String(id)
    }
}
