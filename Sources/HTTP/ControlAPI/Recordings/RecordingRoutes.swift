import Catalogue
import Hummingbird
import MediaKernel
import Streams
import Tokens

/// 100ms' control API for recordings, `/v2/recordings/…`, guarded by a management token.
///
/// Lists all recordings, names and deletes them. Starts and stops only recordings without a live stream: a stream's
/// recording begins and ends with the stream.
struct RecordingRoutes: Sendable {
    let control: any LiveStreamControl
    let keeper: RecordingKeeper
    let authority: TokenAuthority
    let endpoints: Endpoints
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed(
            "/v2/recordings", by: authority, isForReaders: true, clock: clock
        )
        .add(middleware: RecordingErrors())
        group.post("/room/:room/start") { request, context in
            try await start(request, room: context.parameters.get("room"))
        }
        group.post("/room/:room/stop") { request, context in
            try await stop(request, room: context.parameters.get("room"))
        }
        for (action, isPaused) in [("pause", true), ("resume", false)] {
            group.post("/room/:room/\(action)") { request, context in
                try await setPaused(
                    request, room: context.parameters.get("room"), isPaused: isPaused)
            }
        }
        group.post("/:recording/stop") { request, context in
            try await stop(request, recording: context.parameters.get("recording"))
        }
        group.get("") { request, _ in try await list(request) }
        group.get("/:recording") { request, context in
            try await get(request, recording: context.parameters.get("recording"))
        }
        group.patch("/:recording") { request, context in
            let recording = context.parameters.get("recording")
            try await keeper.rename(recording, request)
            return try await get(request, recording: recording)
        }
        group.delete("/:recording") { request, context in
            try await NoBody.check(request)
            try await keeper.delete(context.parameters.get("recording"))
            return Response(status: .noContent)
        }
    }

    private func start(_ request: Request, room: String?) async throws -> Response {
        let room = try RoomID(parameter: room)
        let body = try await JSON.decode(RecordingStartBody.self, from: request)
        let order = try body.checked(
            room: room, authorities: endpoints.authorities(for: request))
        let started = try await control.start(room: room, order, startedBy: nil)
        guard let recording = started.first else { throw APIError.internal() }
        return try await response(recording)
    }

    private func stop(_ request: Request, room: String?) async throws -> Response {
        let room = try RoomID(parameter: room)
        try await NoBody.check(request)
        let recordings = try await control.stop(room: room, kind: .recording, stoppedBy: nil)
        return try await response(
            recordings, limit: PageLimit.range.lowerBound, last: recordings.last?.id)
    }

    private func stop(_ request: Request, recording: String?) async throws -> Response {
        let recording = try await self.recording(recording)
        try await NoBody.check(request)
        guard recording.kind == .recording else {
            throw APIError.recordingOfStream(recording.id)
        }
        return try await response(try await control.stop(stream: recording.id, stoppedBy: nil))
    }

    private func setPaused(
        _ request: Request, room: String?, isPaused: Bool
    ) async throws -> Response {
        let room = try RoomID(parameter: room)
        try await NoBody.check(request)
        guard let current = try await control.current(room: room, kind: .recording) else {
            throw LiveStreamError.notFound("room \(room) never had a recording")
        }
        return try await response(
            try await control.setRecording(stream: current.id, isPaused: isPaused))
    }

    private func list(_ request: Request) async throws -> Response {
        let query = try LiveStreamQuery(.recordings, request)
        let page = try await control.streams(query)
        return try await response(page.streams, limit: query.limit, last: page.last)
    }

    private func get(_ request: Request, recording: String?) async throws -> Response {
        return try await response(try await self.recording(recording))
    }

    private func recording(_ text: String?) async throws -> LiveStream {
        guard let text, Limits.isIdentifier(text) else {
            throw APIError.unknownRecording()
        }
        guard let stream = try await control.stream(StreamID(text)),
            stream.plan.recording?.isWanted == true
        else { throw APIError.unknownRecording(text) }
        return stream
    }

    private var library: RecordingLibrary { keeper.library }

    private func response(_ recording: LiveStream) async throws -> Response {
        guard let body = try await bodies([recording]).first else {
            throw APIError.recordingGone("the recording was deleted", "recording \(recording.id)")
        }
        return JSON.response(body)
    }

    private func response(
        _ recordings: [LiveStream], limit: Int, last: StreamID?
    ) async throws -> Response {
        JSON.response(
            ListBody(
                limit: limit, data: try await bodies(recordings), last: last?.rawValue ?? ""))
    }

    /// Of those that are not deleted.
    private func bodies(_ recordings: [LiveStream]) async throws -> [RecordingBody] {
        let assets = try await library.assets(of: recordings)
        let notes = try await RecordingNotes(library.catalogue).notes(of: recordings.map(\.id))
        return recordings.filter { notes[$0.id]?.deletedAt == nil }.map {
            RecordingBody($0, name: notes[$0.id]?.name, assets: assets[$0.id] ?? [])
        }
    }
}
