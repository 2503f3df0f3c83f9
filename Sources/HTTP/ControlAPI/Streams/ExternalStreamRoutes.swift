import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import Streams
import Tokens

/// 100ms' control API for streams to other services, `/v2/external-streams`, guarded by a
/// management token: a room's recording without a live stream, pushed to other servers, with or
/// without a file.
struct ExternalStreamRoutes: Sendable {
    let control: any LiveStreamControl
    let authority: TokenAuthority
    let endpoints: Endpoints
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/external-streams", by: authority, clock: clock)
            .add(middleware: RecordingErrors())
        group.post("/room/:room/start") { request, context -> Response in
            let room = try RoomID(parameter: context.parameters.get("room"))
            let body = try await JSON.decode(ExternalStartBody.self, from: request)
            let order = try body.checked(
                room: room, authorities: endpoints.authorities(for: request))
            let started = try await control.start(room: room, order, startedBy: nil)
            guard let stream = started.first else { throw APIError.internal() }
            return JSON.response(ExternalStreamBody(stream))
        }
        group.post("/room/:room/stop") { request, context -> Response in
            let room = try RoomID(parameter: context.parameters.get("room"))
            try await NoBody.check(request)
            guard let current = try await control.current(room: room, kind: .recording),
                current.plan.wasPushed
            else {
                throw APIError.notFound(
                    "external stream not found", "room \(room) never had an external stream")
            }
            let stopped = try await control.stop(stream: current.id, stoppedBy: nil)
            return JSON.response(
                ListBody(
                    limit: PageLimit.range.lowerBound, data: [ExternalStreamBody(stopped)],
                    last: stopped.id.rawValue))
        }
        group.post("/:stream/stop") { request, context -> Response in
            let stream = try await stream(context.parameters.get("stream"))
            try await NoBody.check(request)
            return JSON.response(
                ExternalStreamBody(try await control.stop(stream: stream.id, stoppedBy: nil)))
        }
        group.get("/:stream") { _, context -> Response in
            JSON.response(ExternalStreamBody(try await stream(context.parameters.get("stream"))))
        }
        group.get("") { request, _ in
            let query = try LiveStreamQuery(.externalStreams, request)
            let page = try await control.streams(query)
            return JSON.response(
                ListBody(
                    limit: query.limit, data: page.streams.map(ExternalStreamBody.init),
                    last: page.last?.rawValue ?? ""))
        }
    }

    private func stream(_ text: String?) async throws -> LiveStream {
        guard let text, Limits.isIdentifier(text),
            let stream = try await control.stream(StreamID(text)), stream.kind == .recording,
            stream.plan.wasPushed
        else {
            throw APIError.notFound(
                "external stream not found", "stream \((text ?? "").prefix(64))")
        }
        return stream
    }
}

/// An external stream: 100ms' fields, its addresses without their keys.
struct ExternalStreamBody: Encodable {
    var stream: LiveStream

    init(_ stream: LiveStream) { self.stream = stream }

    enum CodingKeys: String, CodingKey {
        case recording
        case urls = "rtmp_urls"
    }

    func encode(to encoder: any Encoder) throws {
        try StreamFields(stream).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stream.plan.outputs.map(\.shown), forKey: .urls)
        try container.encode(stream.plan.recording?.isWanted == true, forKey: .recording)
    }
}

/// The body of a request to start one.
struct ExternalStartBody: RequestBody {
    static let fields = BodyFields(
        CodingKeys.self, [.resolution: .object(BodyFields(["width", "height"]))])

    var meetingURL: String?
    var urls: [String]
    var recording: Bool?
    var resolution: LiveStreamRequest.Resolution?
    var destination: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case recording, resolution, destination
        case meetingURL = "meeting_url"
        case urls = "rtmp_urls"
    }

    /// - Throws: a 400 that names the field.
    func checked(
        room: RoomID, authorities: Set<String>
    ) throws(APIError) -> LiveStreamRequest {
        let targets = try PushTarget.checked(urls)
        guard !targets.isEmpty else {
            throw .badRequest("rtmp_urls are not valid", "at least one")
        }
        var request = try LiveStreamRequest(
            checkingRecordingOf: meetingURL, resolution: resolution,
            destination: destination ?? "", room: room, authorities: authorities)
        request.outputs = targets
        if recording != true { request.recording = .nothing }
        return request
    }
}
