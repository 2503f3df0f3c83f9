import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import Streams
import Tokens

/// 100ms' control API for live streams, `/v2/live-streams/…`, guarded by a management token.
struct LiveStreamRoutes: Sendable {
    let control: any LiveStreamControl
    let recordings: RecordingLibrary
    let authority: TokenAuthority
    let endpoints: Endpoints
    let files: StreamFiles
    /// Of ladder layers without one.
    let frameRate: Int
    let census: ViewerCensus
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/live-streams", by: authority, clock: clock)
        group.post("/room/:room/start") { request, context in
            try await start(request, room: context.parameters.get("room"))
        }
        group.post("/room/:room/stop") { request, context in
            try await stop(request, room: context.parameters.get("room"))
        }
        group.post("/:stream/stop") { request, context in
            try await stop(request, stream: context.parameters.get("stream"))
        }
        for (action, isPaused) in [("pause-recording", true), ("resume-recording", false)] {
            group.post("/:stream/\(action)") { request, context in
                try await setRecording(
                    request, stream: context.parameters.get("stream"), isPaused: isPaused)
            }
        }
        group.post("/:stream/timed-metadata") { request, context in
            try await addTimedMetadata(request, stream: context.parameters.get("stream"))
        }
        group.post("/:stream/captions") { request, context in
            try await addCaptions(request, stream: context.parameters.get("stream"))
        }
        for file in PageFile.allCases {
            group.get("/:stream/page/\(file.rawValue)") { _, context in
                try await page(file, stream: context.parameters.get("stream"))
            }
        }
        group.post("/:stream/outputs") { request, context in
            try await addOutput(request, stream: context.parameters.get("stream"))
        }
        group.get("/:stream/outputs") { _, context in
            JSON.response(try await liveStream(context.parameters.get("stream")).outputBodies)
        }
        group.delete("/:stream/outputs/:output") { request, context in
            let stream = try await liveStream(context.parameters.get("stream"))
            return try await response(
                try await control.removeOutput(
                    context.parameters.get("output") ?? "", of: stream.id))
        }
        group.get("/:stream") { request, context in
            try await get(request, stream: context.parameters.get("stream"))
        }
        group.patch("/:stream") { request, context in
            try await update(request, stream: context.parameters.get("stream"))
        }
        group.get("") { request, _ in try await list(request) }
    }

    private func start(_ request: Request, room: String?) async throws -> Response {
        let room = try RoomID(parameter: room)
        let body = try await JSON.decode(StartBody.self, from: request)
        let order = try body.checked(
            room: room, authorities: endpoints.authorities(for: request), frameRate: frameRate)
        let streams = try await control.start(room: room, order, startedBy: nil)
        guard let first = streams.first else { throw APIError.internal() }
        return JSON.response(LiveStreamBody(first, variants: streams))
    }

    private func stop(_ request: Request, room: String?) async throws -> Response {
        let room = try RoomID(parameter: room)
        try await NoBody.check(request)
        let streams = try await control.stop(room: room, kind: .stream, stoppedBy: nil)
        return try await response(
            streams, limit: PageLimit.range.lowerBound, last: streams.last?.id)
    }

    private func stop(_ request: Request, stream: String?) async throws -> Response {
        let id = try await liveStream(stream).id
        try await NoBody.check(request)
        return try await response(try await control.stop(stream: id, stoppedBy: nil))
    }

    private func setRecording(
        _ request: Request, stream: String?, isPaused: Bool
    ) async throws -> Response {
        let id = try await liveStream(stream).id
        try await NoBody.check(request)
        return try await response(
            try await control.setRecording(stream: id, isPaused: isPaused))
    }

    private func addOutput(_ request: Request, stream: String?) async throws -> Response {
        let id = try await liveStream(stream).id
        let body = try await JSON.decode(OutputBody.self, from: request)
        let (changed, output) = try await control.addOutput(
            try body.target(), layer: body.layer ?? 0, to: id)
        return JSON.response(StreamOutputBody(output, of: changed))
    }

    private func addTimedMetadata(
        _ request: Request, stream: String?
    ) async throws -> Response {
        let id = try Self.streamID(stream)
        let body = try await JSON.decode(TimedMetadataBody.self, from: request)
        if try await control.stream(id)?.kind == .recording { throw Self.notFound(id) }
        let metadata = try body.checked()
        return try await response(
            try await control.addTimedMetadata([metadata], to: id, addedBy: nil))
    }

    private func addCaptions(_ request: Request, stream: String?) async throws -> Response {
        let id = try Self.streamID(stream)
        let body = try await JSON.decode(CaptionsBody.self, from: request)
        if try await control.stream(id)?.kind == .recording { throw Self.notFound(id) }
        let captions = try body.checked(at: clock())
        return try await response(
            try await control.addCaptions(
                captions, language: body.language, to: id, addedBy: nil))
    }

    private func get(_ request: Request, stream: String?) async throws -> Response {
        return try await response(try await liveStream(stream))
    }

    /// What a page has left beside its stream, or its recording.
    private func page(_ file: PageFile, stream: String?) async throws -> Response {
        let id = try Self.streamID(stream)
        guard let found = try await control.stream(id) else { throw Self.notFound(id) }
        guard let content = try await files.content(of: file.name, beside: found) else {
            throw APIError.notFound(
                "there is no \(file.rawValue)", "stream \(id) shows no page, or has not yet")
        }
        let type =
            switch file {
            case .console: "text/plain; charset=utf-8"
            case .screenshot: "image/jpeg"
            }
        return Response(
            status: .ok,
            headers: [
                .contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            ], body: .init(byteBuffer: ByteBuffer(bytes: content.bytes)))
    }

    private func update(_ request: Request, stream: String?) async throws -> Response {
        let id = try Self.streamID(stream)
        let body = try await JSON.decode(UpdateBody.self, from: request)
        if try await control.stream(id)?.kind == .recording { throw Self.notFound(id) }
        return try await response(try await control.update(stream: id, body.change))
    }

    private func list(_ request: Request) async throws -> Response {
        let query = try LiveStreamQuery(.liveStreams, request)
        let page = try await control.streams(query)
        return try await response(page.streams, limit: query.limit, last: page.last)
    }

    private func response(_ stream: LiveStream) async throws -> Response {
        let assets = try await recordings.assets(of: [stream])
        return JSON.response(body(of: stream, assets[stream.id] ?? []))
    }

    private func body(of stream: LiveStream, _ assets: [CatalogueAsset]) -> LiveStreamBody {
        LiveStreamBody(
            stream, assets: assets,
            viewers: census.count(of: stream.id.rawValue, in: stream.room.rawValue))
    }

    private func response(
        _ streams: [LiveStream], limit: Int, last: StreamID?
    ) async throws -> Response {
        let assets = try await recordings.assets(of: streams)
        return JSON.response(
            ListBody(
                limit: limit,
                data: streams.map { body(of: $0, assets[$0.id] ?? []) },
                last: last?.rawValue ?? ""))
    }

    /// The live stream that a path names. Recordings without a stream have other paths.
    private func liveStream(_ text: String?) async throws -> LiveStream {
        let id = try Self.streamID(text)
        guard let stream = try await control.stream(id), stream.kind == .stream else {
            throw Self.notFound(id)
        }
        return stream
    }

    private static func streamID(_ text: String?) throws(APIError) -> StreamID {
        guard let text, Limits.isIdentifier(text) else {
            throw .notFound("live stream not found")
        }
        return StreamID(text)
    }

    private static func notFound(_ id: StreamID) -> APIError {
        .notFound("live stream not found", "stream \(id)")
    }
}
