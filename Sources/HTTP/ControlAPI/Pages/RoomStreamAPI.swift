import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import Stage
import Streams

/// A room's stream for the built-in pages, `/api/rooms/<id>/stream`. Its state is public: anyone
/// who knows a room can ask whether it is on air. Peers whose role may stream also see how it fares
/// and what it shows, and change that.
struct RoomStreamAPI: Sendable {
    let control: any LiveStreamControl
    let peers: RoomPeerGuard
    let endpoints: Endpoints
    let files: StreamFiles
    let census: ViewerCensus
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let path = "/api/rooms/:room/stream"
        router.get("\(path)") { request, context in
            try await get(request, room: context.parameters.get("room"))
        }
        router.patch("\(path)") { request, context in
            try await update(request, room: context.parameters.get("room"))
        }
        router.get("\(path)/preview") { request, context in
            try await preview(request, room: context.parameters.get("room"))
        }
        for (action, isPaused) in [("pause-recording", true), ("resume-recording", false)] {
            router.post("\(path)/\(action)") { request, context in
                try await setRecording(
                    request, room: context.parameters.get("room"), isPaused: isPaused)
            }
        }
    }

    /// - Throws: a 401 or 403 for a token that does not give the right to more than all may see.
    private func get(_ request: Request, room: String?) async throws -> Response {
        let room = try RoomID(parameter: room)
        let isDirector = request.headers[.authorization] != nil
        if isDirector { try await peers.checkMayStream(request, in: room) }
        let stream = try await control.current(room: room, kind: .stream)
        return response(stream, to: request, isDirector: isDirector)
    }

    private func update(_ request: Request, room: String?) async throws -> Response {
        let room = try RoomID(parameter: room)
        try await peers.checkMayStream(request, in: room)
        let body = try await JSON.decode(UpdateBody.self, from: request)
        let stream = try await onAir(in: room)
        return response(
            try await control.update(stream: stream.id, body.change), to: request,
            isDirector: true)
    }

    private func setRecording(
        _ request: Request, room: String?, isPaused: Bool
    ) async throws -> Response {
        let room = try RoomID(parameter: room)
        try await peers.checkMayStream(request, in: room)
        try await NoBody.check(request)
        let stream = try await onAir(in: room)
        return response(
            try await control.setRecording(stream: stream.id, isPaused: isPaused), to: request,
            isDirector: true)
    }

    /// In milliseconds: `Age` has seconds, which is all that a preview may be old.
    static let pictureAge = HTTPField.Name("X-Picture-Age")!

    /// A small picture of what the stream shows now; 204 until the bot has made one. A request
    /// keeps the bot at it for some seconds.
    private func preview(_ request: Request, room: String?) async throws -> Response {
        let room = try RoomID(parameter: room)
        try await peers.checkMayStream(request, in: room)
        let stream = try await onAir(in: room)
        guard !stream.plan.audio.only else {
            throw APIError.notFound("there is no preview", "stream \(stream.id) has no picture")
        }
        await control.previewWanted(of: stream.id)
        let now = clock()
        guard
            let content = try await files.content(of: StreamPreview.fileName, beside: stream),
            now - content.modified <= StreamPreview.ageMaximum
        else { return Response(status: .noContent, headers: [.cacheControl: "no-store"]) }
        let age = max(0, (now - content.modified).milliseconds)
        return Response(
            status: .ok,
            headers: [
                .contentType: "image/jpeg", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff", Self.pictureAge: "\(age)",
            ], body: .init(byteBuffer: ByteBuffer(bytes: content.bytes)))
    }

    /// The newest stream, which the pages show.
    private func onAir(in room: RoomID) async throws -> LiveStream {
        guard let stream = try await control.current(room: room, kind: .stream),
            stream.status.isOnAir
        else { throw APIError.notFound("the room is not on air", "room \(room)") }
        return stream
    }

    private func response(
        _ stream: LiveStream?, to request: Request, isDirector: Bool
    ) -> Response {
        var body = RoomStreamBody(stream) { endpoints.address($0, for: request) }
        if isDirector, let stream, stream.status.isOnAir {
            body.studio = StudioBody(
                stream, viewers: census.count(of: stream.id.rawValue, in: stream.room.rawValue))
        }
        return JSON.response(body)
    }
}

/// A room's stream as the pages show it.
struct RoomStreamBody: Encodable {
    private var state: String
    private var url: String?
    /// Of fragmented MP4, which may be `url`; nil without it.
    private var fragmentsURL: String?
    /// Those fragments come in parts.
    private var isLowLatency: Bool
    private var id: StreamID?
    private var startedAt: String?
    private var restarts: Int
    /// Nil while the picture is complete.
    private var degradation: LiveStreamBody.DegradationBody?
    /// Only for those who may stream, and while the room is on air.
    var studio: StudioBody?

    /// - Parameter address: the address that the caller can reach, of a stream's own.
    init(_ stream: LiveStream?, address: (String?) -> String?) {
        state = stream?.status.rawValue ?? "none"
        url = address(stream?.playback.url)
        fragmentsURL = address(
            stream.flatMap { $0.plan.container == .fragments ? $0.playback.url : $0.fragmentsURL })
        isLowLatency = stream?.plan.partFrames != nil
        id = stream?.id
        startedAt = stream?.startedAt?.description
        restarts = stream?.health.restarts ?? 0
        guard let stream, stream.status.isOnAir, stream.isReduced else { return }
        degradation = stream.health.degradation.map {
            LiveStreamBody.DegradationBody($0, frameRate: stream.frameRateNow)
        }
    }

    enum CodingKeys: String, CodingKey {
        case state, url, id, degradation, studio
        case fragmentsURL = "cmaf_url"
        case isLowLatency = "low_latency"
        case startedAt = "started_at"
        case restarts = "bot_restarts"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
        try container.encode(url, forKey: .url)
        try container.encode(fragmentsURL, forKey: .fragmentsURL)
        try container.encode(isLowLatency, forKey: .isLowLatency)
        try container.encode(id, forKey: .id)
        try container.encode(startedAt, forKey: .startedAt)
        try container.encode(restarts, forKey: .restarts)
        try container.encode(degradation, forKey: .degradation)
        try container.encodeIfPresent(studio, forKey: .studio)
    }
}

/// What those who direct a stream see of it beside its state.
struct StudioBody: Encodable {
    private let stream: LiveStream
    private let viewers: ViewerCensus.Count

    init(_ stream: LiveStream, viewers: ViewerCensus.Count) {
        self.stream = stream
        self.viewers = viewers
    }

    enum CodingKeys: String, CodingKey {
        case layout, audio, viewers
        case frameRate = "frame_rate"
        case frameRateWanted = "frame_rate_wanted"
        case isRecorded = "is_recorded"
        case isRecordingPaused = "recording_paused"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stream.plan.layout.json, forKey: .layout)
        try container.encode(stream.plan.audio, forKey: .audio)
        try container.encode(viewers, forKey: .viewers)
        let rate = stream.plan.frameRate
        try container.encode(rate == nil ? nil : stream.frameRateNow, forKey: .frameRate)
        try container.encode(rate, forKey: .frameRateWanted)
        try container.encode(stream.plan.recording?.isWanted == true, forKey: .isRecorded)
        try container.encode(stream.recordingPause == .paused, forKey: .isRecordingPaused)
    }
}
