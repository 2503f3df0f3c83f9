import HTTPTypes
import Hummingbird
import MediaKernel
import Streams
import Tokens

/// 100ms' control API for streams to other services, `/v2/external-streams`, guarded by a
/// management token. This server sends none: a start is checked and refused, and the list is empty.
struct ExternalStreamRoutes: Sendable {
    let authority: TokenAuthority
    let endpoints: Endpoints
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.group("/v2/external-streams")
            .add(middleware: ManagementGuard(authority: authority, clock: clock))
        group.post("/room/:room/start") { request, context -> Response in
            let room = try RoomID(parameter: context.parameters.get("room"))
            let body = try await JSON.decode(ExternalStartBody.self, from: request)
            try body.check(room: room, authorities: endpoints.authorities(for: request))
            throw APIError.badRequest(
                "external streams are not supported", "this server does not send RTMP")
        }
        group.post("/room/:room/stop") { _, context -> Response in
            let room = try RoomID(parameter: context.parameters.get("room"))
            throw APIError.notFound(
                "external stream not found", "room \(room) never had an external stream")
        }
        group.post("/:stream/stop") { _, context -> Response in try Self.notFound(context) }
        group.get("/:stream") { _, context -> Response in try Self.notFound(context) }
        group.get("") { request, _ in
            let query = try LiveStreamQuery(.liveStreams, request)
            return JSON.response(ListBody<String>(limit: query.limit, data: [], last: ""))
        }
    }

    private static func notFound(_ context: some RequestContext) throws(APIError) -> Response {
        throw .notFound(
            "external stream not found",
            "stream \((context.parameters.get("stream") ?? "").prefix(64))")
    }
}

/// The body of a request to start one.
struct ExternalStartBody: RequestBody {
    static let fields = BodyFields(
        CodingKeys.self, [.resolution: .object(BodyFields(["width", "height"]))])
    /// As in 100ms.
    static let urlsMaximum = 5

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
    func check(room: RoomID, authorities: Set<String>) throws(APIError) {
        let schemes = ["rtmp://", "rtmps://"]
        guard (1...Self.urlsMaximum).contains(urls.count),
            urls.allSatisfy({ url in
                url.utf8.count <= Limits.meetingURLBytes
                    && schemes.contains { url.lowercased().hasPrefix($0) && url.count > $0.count }
            })
        else {
            throw .badRequest(
                "rtmp_urls are not valid", "1 to \(Self.urlsMaximum) rtmp:// or rtmps:// addresses")
        }
        _ = try LiveStreamRequest(
            checkingRecordingOf: meetingURL, resolution: resolution,
            destination: destination ?? "", room: room, authorities: authorities)
    }
}
