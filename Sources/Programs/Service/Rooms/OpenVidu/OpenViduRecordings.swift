import Catalogue
import Clocks
import ControlAPI
import HTTPTypes
import Logging
import MediaKernel
import OpenVidu
import RoomHost
import Rooms
import ServiceLifecycle
import Streams

/// Recordings as OpenVidu's application servers know them: recordings of rooms like any other, each
/// with a label.
actor OpenViduRecordings: Service {
    /// The recordings of a list.
    static let listMaximum = 1000

    let control: StreamService
    let catalogue: Catalogue
    let labels: RecordingLabels
    private let notes: ManifestUpdates
    private let news: OpenViduNews
    let door: OpenViduDoor
    let autostop: Duration
    let logger: Logger
    private weak var directory: RoomDirectory?
    var current: [StreamID: Current] = [:]
    /// Rooms whose recording is being started.
    private var starting: Set<RoomID> = []
    var starters = AutoStarters<RoomID>()
    var tickets = 0

    init(
        control: StreamService, catalogue: Catalogue, notes: ManifestUpdates, news: OpenViduNews,
        door: OpenViduDoor, autostop: Duration, logger: Logger
    ) {
        self.control = control
        self.catalogue = catalogue
        labels = RecordingLabels(catalogue)
        self.notes = notes
        self.news = news
        self.door = door
        self.autostop = autostop
        self.logger = logger
    }

    /// The open rooms, which need the news and so come later.
    func attach(_ directory: RoomDirectory) { self.directory = directory }

    /// Notes which streams there are, until the server stops.
    func run() async {
        await withGracefulShutdownHandler {
            for await (room, stream) in news.streams { await note([stream], in: room) }
        } onGracefulShutdown: {
            self.news.finish()
        }
    }

    // MARK: - Requests

    /// - Parameter authorities: `host[:port]` by which a page's address means this server.
    /// - Returns: the recording when it goes on or has failed, or after a while.
    /// - Throws: why it is not begun.
    func start(
        _ room: RoomID, _ properties: OpenViduRecordingProperties, authorities: Set<String>
    ) async throws(APIError) -> LiveStream {
        guard starting.insert(room).inserted else { throw .conflict("a recording is starting") }
        defer { starting.remove(room) }
        let stream: LiveStream
        do throws(LiveStreamError) {
            if let latest = try await control.current(room: room, kind: .recording),
                latest.status.isOnAir
            {
                throw LiveStreamError.runsOtherwise(latest.id, "and is recorded")
            }
        } catch {
            throw APIError(error, of: .recording)
        }
        guard let host = await directory?.host(of: room), await host.snapshot().peerCount > 0 else {
            throw .notAcceptable("the session has no connected participants")
        }
        let label = try await label(of: room, properties)
        let request = try await request(
            for: properties, label, in: room, authorities: authorities)
        do throws(LiveStreamError) {
            stream = try await control.start(room: room, request, startedBy: nil)[0]
        } catch {
            throw APIError(error, of: .recording)
        }
        guard stream.plan.recording?.label == label else {
            throw .conflict("the session is being recorded")
        }
        follow(stream)
        if label.bundle != nil { await note(await OpenViduEntrance(host).streams(), in: room) }
        await goesOn(stream.id)
        let begun = try await look { () async throws(LiveStreamError) in
            try await control.stream(stream.id)
        }
        guard let begun else { throw .unavailable("Error starting recording: it is gone") }
        return begun
    }

    /// - Returns: the recording as it stops, when it is over or after a while: then the session is
    ///   not being recorded, as clients assume.
    /// - Throws: 404, 406.
    func stop(_ id: String) async throws(APIError) -> LiveStream {
        guard let (stream, state) = current.first(where: { $0.value.label.id == id }) else {
            throw .notFound("no such recording goes on")
        }
        switch state.status {
        case .starting: throw .notAcceptable("the recording is starting")
        case .running: break
        case .stopping, .postProcessing, .completed, .failed:
            throw .notFound("the recording has stopped")
        }
        starters.stopped(state.room)
        let stopping = try await look { () async throws(LiveStreamError) in
            try await control.stop(stream: stream, stoppedBy: nil)
        }
        await ends(stream)
        return stopping
    }

    /// The newest first.
    func all() async throws(APIError) -> [(LiveStream, [CatalogueAsset])] {
        let rows = try await read { () async throws(CatalogueError) in
            try await labels.recordings(limit: Self.listMaximum)
        }
        let assets = try await read { () async throws(CatalogueError) in
            try await catalogue.assets(of: rows.map(\.id))
        }
        // Rows are behind what is remembered, and the newest may have none yet.
        let listed = Set(rows.map(\.id)).union(current.keys)
        var streams: [StreamID: LiveStream] = [:]
        for stream in await control.remembered where listed.contains(stream.id) {
            streams[stream.id] = stream
        }
        for row in rows where streams[row.id] == nil { streams[row.id] = LiveStream(row) }
        // Ids sort by creation.
        return streams.values.sorted { $0.id > $1.id }
            .map { ($0, assets[$0.id] ?? []) }.filter { Self.exists($0, $1) }
    }

    /// - Throws: 404.
    func recording(_ id: String) async throws(APIError) -> (LiveStream, [CatalogueAsset]) {
        let known = current.first { $0.value.label.id == id }?.key
        let row = try await read { () async throws(CatalogueError) in
            try await labels.recording(id)
        }
        guard let stream = known ?? row?.id else { throw .notFound("no such recording") }
        let found = try await look { () async throws(LiveStreamError) in
            try await control.stream(stream)
        }
        let assets = try await read { () async throws(CatalogueError) in
            try await catalogue.assets(of: [stream])[stream] ?? []
        }
        guard let found, Self.exists(found, assets) else { throw .notFound("no such recording") }
        return (found, assets)
    }

    /// Forgets a recording; its files are removed within a minute.
    ///
    /// - Throws: 404, 409.
    func delete(_ id: String) async throws(APIError) {
        let (stream, _) = try await recording(id)
        guard stream.status.isFinal, current[stream.id] == nil else {
            throw .conflict("the recording is not ready")
        }
        let now = UnixTime.now
        let assets = try await read { () async throws(CatalogueError) in
            try await labels.forget(stream.id, at: now)
        }
        guard let directory = try? await catalogue.stream(stream.id)?.assetDirectory else { return }
        for asset in assets {
            // Otherwise a rebuilt catalogue would know it again.
            try? await notes.note(asset: asset.id, in: directory) { $0.expiresAt = now }
        }
    }

    /// One whose files are gone does not exist any more.
    private static func exists(_ stream: LiveStream, _ assets: [CatalogueAsset]) -> Bool {
        assets.isEmpty || assets.contains { $0.status != .expired }
    }

    // MARK: - Errors

    func look<Value: Sendable>(
        _ body: () async throws(LiveStreamError) -> Value
    ) async throws(APIError) -> Value {
        do throws(LiveStreamError) {
            return try await body()
        } catch {
            throw APIError(error, of: .recording)
        }
    }

    func read<Value: Sendable>(
        _ body: () async throws(CatalogueError) -> Value
    ) async throws(APIError) -> Value {
        do throws(CatalogueError) {
            return try await body()
        } catch {
            throw .unavailable("the catalogue cannot be read")
        }
    }
}
