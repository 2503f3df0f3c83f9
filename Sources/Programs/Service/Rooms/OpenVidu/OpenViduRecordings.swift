import Catalogue
import Clocks
import ControlAPI
import HLS
import HTTPTypes
import Logging
import MediaKernel
import OpenVidu
import Recording
import RoomHost
import Rooms
import ServiceLifecycle
import Streams

/// Recordings as OpenVidu's application servers know them: recordings of rooms like any other, each
/// with a label.
actor OpenViduRecordings: Service, RoomWatcher {
    /// The recordings of a list.
    static let listMaximum = 1000
    /// How long a start waits until the recording goes on. It goes on later too.
    private static let startPatience: Duration = .seconds(30)

    /// A recording that is not finished yet.
    private struct Current {
        let label: RecordingLabel
        let room: RoomID
        /// Of the stream.
        let directory: String
        var status = LiveStream.Status.starting
        /// Nil for one without an archive of streams.
        var cast: StreamCast?
        /// Whether the cast is being written; it has one writer at a time.
        var isWriting = false
        /// Whether it has changed since the writer took it.
        var isDirty = false
        /// Those who wait until it goes on.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let control: StreamService
    private let catalogue: Catalogue
    private let labels: RecordingLabels
    private let notes: ManifestUpdates
    private let news: OpenViduNews
    private let door: OpenViduDoor
    private let autostop: Duration
    private let logger: Logger
    private weak var directory: RoomDirectory?
    private var current: [StreamID: Current] = [:]
    /// Rooms whose recording is being started.
    private var starting: Set<RoomID> = []
    private var starters = AutoStarters<RoomID>()
    private var tickets = 0

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
        return try await look { () async throws(LiveStreamError) in
            try await control.stop(stream: stream, stoppedBy: nil)
        }
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

    // MARK: - What a recording is to be

    private func label(
        of room: RoomID, _ properties: OpenViduRecordingProperties
    ) async throws(APIError) -> RecordingLabel {
        var taken = try await read { () async throws(CatalogueError) in
            try await labels.inUse(of: room.rawValue)
        }
        taken.formUnion(current.values.map(\.label.id))
        var id = room.rawValue
        var number = 1
        while taken.contains(id) {
            id = "\(room)~\(number)"
            number += 1
        }
        let name = properties.name.isEmpty ? id : properties.name
        var terms = properties.shown
        terms["name"] = .string(name)
        return RecordingLabel(
            id: id, name: name, terms: .object(terms),
            bundle: properties.isComposed
                ? nil
                : RecordingLabel.Bundle(
                    hasSound: properties.hasAudio, hasPicture: properties.hasVideo))
    }

    private func request(
        for properties: OpenViduRecordingProperties, _ label: RecordingLabel, in room: RoomID,
        authorities: Set<String>
    ) async throws(APIError) -> LiveStreamRequest {
        let hasPicture = properties.isComposed && properties.hasVideo
        var page: String?
        if hasPicture, properties.recordingLayout == "CUSTOM" {
            guard properties.customLayout.hasPrefix("http") else {
                throw .unprocessable(
                    "Wrong 'customLayout' parameter. It must be the whole address of a page")
            }
            page = properties.customLayout
        }
        var request = try LiveStreamRequest(
            checkingRecordingOf: page, isSoundAlone: properties.isComposed && !hasPicture,
            thumbnails: hasPicture ? ThumbnailOptions(enabled: true) : nil,
            tracks: properties.isComposed ? nil : TrackOptions(audio: .webm, composite: false),
            room: room, authorities: authorities)
        request.recording?.label = label
        request.patience = autostop
        if properties.isComposed, !properties.hasAudio { request.audio.roles = [] }
        if hasPicture { request.ladder = try await ladder(for: properties, in: room) }
        return request
    }

    /// One layer. Sides are even, and the rate is one that can be encoded.
    private func ladder(
        for properties: OpenViduRecordingProperties, in room: RoomID
    ) async throws(APIError) -> Ladder {
        let best: Layer
        do throws(LiveStreamError) {
            best = try await control.settings(of: room).ladder.top
        } catch {
            throw APIError(error, of: .recording)
        }
        var layer = best.resized(
            width: properties.width & ~1, height: properties.height & ~1)
        let rates = Ladder.frameRates
        layer.frameRate = min(max(properties.frameRate, rates.lowerBound), rates.upperBound)
        do throws(LadderError) {
            return try Ladder(validating: [layer])
        } catch {
            throw .unprocessable("Wrong 'resolution' parameter. \(error)")
        }
    }

    // MARK: - RoomWatcher

    /// Starts the recordings of sessions that are always recorded.
    func seen(_ room: RoomID, _ occupancy: RoomOccupancy) async {
        guard let session = door.change({ $0.session(room) }),
            session.terms.recordingMode == "ALWAYS", session.terms.mediaMode == "ROUTED"
        else {
            return starters.forget(room)
        }
        guard starters.starts(room, on: .publishers(1), occupancy) else { return }
        // The room does not wait for it.
        Task { await startByItself(room, session) }
    }

    private func startByItself(_ room: RoomID, _ session: OpenViduBook.Session) async {
        do throws(APIError) {
            let properties = try OpenViduRecordingProperties(
                OpenViduBody(session.terms.recordings))
            _ = try await start(room, properties, authorities: [])
        } catch {
            guard error.status != .conflict else {
                // It is already running. Unless it is stopped by hand, the next one follows it.
                return starters.postponed(room)
            }
            guard starters.refused(room) else { return }
            logger.warning(
                "a session's recording cannot start by itself",
                metadata: ["room": "\(room)", "reason": "\(error.message)"])
        }
    }

    func recordingChanged(_ recording: LiveStream) async { follow(recording) }

    // MARK: - States

    /// Takes a recording's state, which may be known already.
    private func follow(_ stream: LiveStream) {
        guard let label = stream.plan.recording?.label else { return }
        let isNew = current[stream.id] == nil
        var state =
            current[stream.id]
            ?? Current(
                label: label, room: stream.room,
                directory: "\(control.settings.outputDirectory)/\(stream.directory)",
                cast: label.bundle.map { _ in StreamCast() })
        let before = state.status
        // A later state may have been told first.
        guard isNew || stream.status.order > before.order else { return }
        state.status = stream.status
        if stream.status != .starting {
            for waiter in state.waiting.values { waiter.resume() }
            state.waiting = [:]
        }
        current[stream.id] = stream.status.isFinal ? nil : state
        let isOver = before.isOnAir && before != .stopping
        // By any API. One that this server did not start has nothing to do with those here now.
        if !isNew, isOver, stream.end == .stopped { starters.stopped(stream.room) }
    }

    /// Waits until a recording goes on, or does not.
    private func goesOn(_ id: StreamID) async {
        guard current[id]?.status == .starting else { return }
        tickets += 1
        let ticket = tickets
        let patience = Task {
            try await Task.sleep(for: Self.startPatience)
            self.current[id]?.waiting.removeValue(forKey: ticket)?.resume()
        }
        await withCheckedContinuation { continuation in
            current[id]?.waiting[ticket] = continuation
        }
        patience.cancel()
    }

    /// Notes published streams for the archive of the recording on air. One that is in
    /// post-processing has its streams.
    private func note(_ streams: [PublishedStream], in room: RoomID) async {
        // The end of an earlier one may not be known here yet.
        let recordings = current.filter {
            $0.value.room == room && $0.value.cast != nil && $0.value.status.isOnAir
        }
        guard let id = recordings.keys.max() else { return }
        for stream in streams {
            current[id]?.cast?.note(
                StreamCast.Member(
                    stream: stream.id, connection: stream.connection,
                    clientData: stream.clientData, serverData: stream.serverData,
                    video: stream.video, tracks: stream.tracks.map(\.rawValue),
                    isRecorded: stream.isRecorded))
        }
        current[id]?.isDirty = true
        await writeCast(of: id)
    }

    /// Writes a recording's cast until it has not changed meanwhile. Of two writers, the one with
    /// the older cast could be the last.
    private func writeCast(of id: StreamID) async {
        guard current[id]?.isWriting == false else { return }
        current[id]?.isWriting = true
        defer { current[id]?.isWriting = false }
        while let state = current[id], state.isDirty, let cast = state.cast {
            current[id]?.isDirty = false
            do {
                let directory = state.directory
                try await control.persister.onDisk { (disk) throws(RecordingError) in
                    try disk.keep(cast, in: directory)
                }
            } catch {
                logger.warning(
                    "cannot write down whose tracks are recorded",
                    metadata: ["stream": "\(id)", "error": "\(error)"])
            }
        }
    }

    // MARK: - Errors

    private func look<Value: Sendable>(
        _ body: () async throws(LiveStreamError) -> Value
    ) async throws(APIError) -> Value {
        do throws(LiveStreamError) {
            return try await body()
        } catch {
            throw APIError(error, of: .recording)
        }
    }

    private func read<Value: Sendable>(
        _ body: () async throws(CatalogueError) -> Value
    ) async throws(APIError) -> Value {
        do throws(CatalogueError) {
            return try await body()
        } catch {
            throw .unavailable("the catalogue cannot be read")
        }
    }
}

extension LiveStream.Status {
    /// A stream moves to a higher one.
    fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
