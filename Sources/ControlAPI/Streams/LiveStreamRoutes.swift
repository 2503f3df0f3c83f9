import HTTPTypes
import Hummingbird
import MediaKernel

/// 100ms' control API for live streams, `/v2/live-streams/…`, guarded by a management token.
struct LiveStreamRoutes: Sendable {
    let control: any LiveStreamControl
    let recordings: RecordingLibrary
    let authority: TokenAuthority
    let endpoints: Endpoints
    /// Of ladder layers that name none.
    let frameRate: Int
    let clock: @Sendable () -> Timestamp

    func add(to router: Router<some RequestContext>) {
        let group = router.group("/v2/live-streams")
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
        group.get("/:stream") { request, context in
            try await get(request, stream: context.parameters.get("stream"))
        }
        group.patch("/:stream") { request, context in
            try await update(request, stream: context.parameters.get("stream"))
        }
        group.get("") { request, _ in try await list(request) }
    }

    private func start(_ request: Request, room: String?) async throws(APIError) -> Response {
        try await authorize(request)
        let room = try RoomID(parameter: room)
        let body: StartBody
        do {
            body = try await JSON.decode(StartBody.self, from: request)
        } catch let error as APIError {
            throw error
        } catch {
            throw .badRequest("malformed body", "the body cannot be read")
        }
        let order = try body.checked(
            room: room, authorities: endpoints.authorities(for: request), frameRate: frameRate)
        do {
            let streams = try await control.start(room: room, order, startedBy: nil)
            guard let first = streams.first else { throw APIError.internal() }
            return JSON.response(LiveStreamBody(first, variants: streams))
        } catch let error as LiveStreamError {
            throw APIError(error)
        } catch {
            throw .internal()
        }
    }

    private func stop(_ request: Request, room: String?) async throws(APIError) -> Response {
        try await authorize(request)
        let room = try RoomID(parameter: room)
        do {
            let streams = try await control.stop(
                room: room, kind: .stream, stoppedBy: nil)
            return JSON.response(
                LiveStreamListBody(
                    limit: LiveStreamQuery.limits.lowerBound, streams: streams,
                    last: streams.last?.id, assets: await recordings.assets(of: streams)))
        } catch {
            throw APIError(error)
        }
    }

    private func stop(_ request: Request, stream: String?) async throws(APIError) -> Response {
        try await authorize(request)
        let id = try await liveStream(stream).id
        do {
            return await response(try await control.stop(stream: id, stoppedBy: nil))
        } catch {
            throw APIError(error)
        }
    }

    private func setRecording(
        _ request: Request, stream: String?, isPaused: Bool
    ) async throws(APIError) -> Response {
        try await authorize(request)
        let id = try await liveStream(stream).id
        do {
            return await response(
                try await control.setRecording(stream: id, isPaused: isPaused))
        } catch {
            throw APIError(error)
        }
    }

    private func addTimedMetadata(
        _ request: Request, stream: String?
    ) async throws(APIError) -> Response {
        try await authorize(request)
        let id = try Self.streamID(stream)
        do {
            let body = try await JSON.decode(TimedMetadataBody.self, from: request)
            if await control.stream(id)?.kind == .recording { throw Self.notFound(id) }
            return await response(
                try await control.addTimedMetadata([try body.checked()], to: id))
        } catch let error as APIError {
            throw error
        } catch let error as LiveStreamError {
            throw APIError(error)
        } catch {
            throw .badRequest("malformed body", "the body cannot be read")
        }
    }

    private func get(_ request: Request, stream: String?) async throws(APIError) -> Response {
        try await authorize(request)
        return await response(try await liveStream(stream))
    }

    private func update(_ request: Request, stream: String?) async throws(APIError) -> Response {
        try await authorize(request)
        let id = try Self.streamID(stream)
        do {
            let body = try await JSON.decode(UpdateBody.self, from: request)
            if await control.stream(id)?.kind == .recording { throw Self.notFound(id) }
            return await response(try await control.update(stream: id, body.change))
        } catch let error as APIError {
            throw error
        } catch let error as LiveStreamError {
            throw APIError(error)
        } catch {
            throw .badRequest("malformed body", "the body cannot be read")
        }
    }

    private func list(_ request: Request) async throws(APIError) -> Response {
        try await authorize(request)
        let query = try LiveStreamQuery(.liveStreams, request)
        let page = await control.streams(query)
        return JSON.response(
            LiveStreamListBody(
                limit: query.limit, streams: page.streams, last: page.last,
                assets: await recordings.assets(of: page.streams)))
    }

    private func response(_ stream: LiveStream) async -> Response {
        let assets = await recordings.assets(of: [stream])
        return JSON.response(LiveStreamBody(stream, assets: assets[stream.id] ?? []))
    }

    private func authorize(_ request: Request) async throws(APIError) {
        do {
            _ = try await authority.verifyManagementToken(BearerToken.read(request), at: clock())
        } catch {
            throw .managementToken(error)
        }
    }

    /// The live stream that a path names. Recordings without one have paths of their own.
    private func liveStream(_ text: String?) async throws(APIError) -> LiveStream {
        let id = try Self.streamID(text)
        guard let stream = await control.stream(id), stream.kind == .stream else {
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
