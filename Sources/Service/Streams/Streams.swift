public import Clocks
public import ControlAPI
import Foundation
import HLS
public import Logging
public import MediaKernel
import Recording
public import ServiceLifecycle
import Stage
import Synchronization

/// All live streams of this server: their records, their state machines and their bots.
///
/// Each stream's life is decided by its `StreamMachine`; this actor tells the machine what
/// happened and carries out what it orders. Bots run as child tasks of `run`, so nothing is left
/// behind when that returns.
public actor Streams: LiveStreamControl, Service {
    /// Between two looks at the deadlines; a fraction of the shortest of them.
    static let tickInterval: Duration = .milliseconds(100)
    /// Statistics of ended streams that are kept.
    static let statisticsMaximum = 100

    private let settings: StreamSettings
    private let authority: TokenAuthority
    private let launcher: any BotLauncher
    private let logger: Logger
    private let clock: @Sendable () -> (instant: Instant, time: Timestamp)

    private var observer: (any RoomStreamingObserver)?
    private var endpoint: String
    private var ids = StreamIDs()
    private var archive = StreamArchive()
    private var entries: [StreamID: StreamOnAir] = [:]
    private var ended: [(id: StreamID, statistics: StreamStatistics)] = []
    private var occupied: Set<RoomID> = []
    private var isShuttingDown = false

    private let launches: AsyncStream<BotLaunch>
    private let launchQueue: AsyncStream<BotLaunch>.Continuation
    private let changes: AsyncStream<StreamingChange>
    private let changeQueue: AsyncStream<StreamingChange>.Continuation
    private let shutdownWanted = Mutex(false)

    /// - Parameters:
    ///   - endpoint: where bots find the server; `listening` corrects it once the port is known.
    ///   - clock: the monotonic and the wall clock.
    public init(
        settings: StreamSettings, authority: TokenAuthority, endpoint: String,
        launcher: any BotLauncher, logger: Logger,
        clock: @escaping @Sendable () -> (instant: Instant, time: Timestamp) = {
            (MonotonicClock.now, Timestamp.now())
        }
    ) {
        self.settings = settings
        self.authority = authority
        self.endpoint = endpoint
        self.launcher = launcher
        self.logger = logger
        self.clock = clock
        // Bounded by the streams on air: each yields a handful of launches and changes.
        (launches, launchQueue) = AsyncStream.makeStream()
        (changes, changeQueue) = AsyncStream.makeStream()
    }

    /// Tells the streams who to ask about rooms and who to tell. To be called before `run`.
    public func observe(by observer: any RoomStreamingObserver) { self.observer = observer }

    /// The server is reachable there.
    public func listening(at endpoint: String) { self.endpoint = endpoint }

    // MARK: LiveStreamControl

    public func start(
        room: RoomID, _ request: LiveStreamRequest, startedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        // Before the decision: from here on nothing may suspend, or two starts could both count.
        let session = await observer?.session(of: room)
        guard !isShuttingDown else { throw .shuttingDown }
        let layout: Layout
        do throws(LayoutError) {
            layout = try settings.layout(for: request)
        } catch {
            throw .invalidLayout(error.description)
        }
        let running = archive.onAir(in: room).filter { $0.status != .stopping }
        func existing(_ variant: LiveStreamVariant) -> LiveStream? {
            running.first {
                $0.variant.metadata == variant.metadata && $0.destination == request.destination
            }
        }
        let new = request.variants.filter { existing($0) == nil }
        let inRoom = archive.onAir(in: room).count
        guard new.isEmpty || inRoom + new.count <= settings.variantsPerRoomMaximum else {
            throw .tooManyVariants(room: room, maximum: settings.variantsPerRoomMaximum)
        }
        guard new.isEmpty || entries.count + new.count <= settings.streamsMaximum else {
            throw .tooManyStreams(running: entries.count, maximum: settings.streamsMaximum)
        }
        var result: [LiveStream] = []
        for variant in request.variants {
            if let stream = existing(variant) {
                result.append(stream)
            } else {
                result.append(
                    try begin(
                        variant, of: room, request: request, layout: layout,
                        session: session, startedBy: startedBy))
            }
        }
        return result
    }

    public func stop(
        room: RoomID, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        let streams = archive.onAir(in: room)
        guard !streams.isEmpty else {
            guard let latest = archive.latest(in: room) else {
                throw .notFound("room \(room) never had a live stream")
            }
            return [latest]
        }
        for stream in streams { requestStop(stream.id, by: stoppedBy) }
        return streams.compactMap { archive[$0.id] }
    }

    public func stop(
        stream: StreamID, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream {
        requestStop(stream, by: stoppedBy)
        guard let record = archive[stream] else { throw .notFound("stream \(stream)") }
        return record
    }

    public func update(
        stream: StreamID, _ change: LiveStreamChange
    ) async throws(LiveStreamError) -> LiveStream {
        guard let record = archive[stream] else { throw .notFound("stream \(stream)") }
        guard let entry = entries[stream], record.status != .stopping else {
            throw .notOnAir(stream)
        }
        // Before anything is changed: it may be refused.
        if let json = change.layout {
            let layout: Layout
            do throws(LayoutError) {
                layout = try entry.layout.changed(by: json, pictures: settings.pictureHosts)
            } catch {
                throw .invalidLayout(error.description)
            }
            entries[stream]?.layout = layout
            entries[stream]?.signals?.yield(.layout(layout))
            archive.update(stream) { $0.layout = layout.json }
            log(.info, "layout changed", stream, ["layout": "\(layout.name.rawValue)"])
        }
        if let roles = change.roles {
            let names = roles.names
            entries[stream]?.signals?.yield(.roles(names))
            archive.update(stream) { $0.audio.roles = names }
            log(
                .info, "audible roles changed", stream,
                ["roles": "\(names?.joined(separator: ",") ?? "all")"])
        }
        let time = clock().time
        archive.update(stream) { $0.updatedAt = time }
        return archive[stream] ?? record
    }

    public func stream(_ id: StreamID) async -> LiveStream? { archive[id] }

    public func streams(_ query: LiveStreamQuery) async -> LiveStreamPage { archive.page(query) }

    public func current(room: RoomID) async -> LiveStream? { archive.current(in: room) }

    // MARK: Facts from the rooms

    /// Visible peers entered an empty room, or the last one left.
    public func occupancyChanged(room: RoomID, isEmpty: Bool) {
        let now = clock().instant
        if isEmpty { occupied.remove(room) } else { occupied.insert(room) }
        for stream in archive.onAir(in: room) {
            if isEmpty {
                entries[stream.id]?.machine.roomEmptied(at: now)
            } else {
                entries[stream.id]?.machine.roomOccupied()
            }
        }
    }

    /// What the bots of a stream reported; nil for an unknown or long forgotten one.
    public func statistics(of id: StreamID) -> StreamStatistics? {
        entries[id]?.statistics ?? ended.last { $0.id == id }?.statistics
    }

    /// Whether a bot of the stream is alive, as far as is known here.
    func hasBot(_ id: StreamID) -> Bool { entries[id]?.signals != nil }

    // MARK: Service

    /// Runs the bots until the service group shuts down: then all streams are stopped, and it
    /// returns when the last of them is finished.
    public func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.keepTime() }
                group.addTask { await self.tellRooms() }
                for await launch in launches {
                    group.addTask { await self.supervise(launch) }
                }
                changeQueue.finish()
            }
        } onGracefulShutdown: {
            self.shutdownWanted.withLock { $0 = true }
        }
    }

    /// Looks at the deadlines. `run` calls it many times a second; tests call it by themselves.
    public func tick() {
        let now = clock().instant
        if shutdownWanted.withLock({ $0 }), !isShuttingDown { shutDown(at: now) }
        for id in entries.keys.sorted() {
            guard let deadline = entries[id]?.machine.nextDeadline, deadline <= now else {
                continue
            }
            let orders = entries[id]?.machine.timePassed(at: now) ?? []
            carryOut(orders, of: id)
        }
        if isShuttingDown, entries.isEmpty { launchQueue.finish() }
    }

    // MARK: Inside

    private func keepTime() async {
        while !(isShuttingDown && entries.isEmpty), !Task.isCancelled {
            tick()
            try? await Task.sleep(for: Self.tickInterval)
        }
        launchQueue.finish()
    }

    private func tellRooms() async {
        for await change in changes {
            await observer?.streamingChanged(room: change.room, streams: change.streams)
        }
    }

    private func shutDown(at now: Instant) {
        isShuttingDown = true
        for id in entries.keys.sorted() {
            let orders =
                entries[id]?.machine.stopRequested(reason: "server shutdown", at: now) ?? []
            carryOut(orders, of: id)
        }
    }

    private func begin(
        _ variant: LiveStreamVariant, of room: RoomID, request: LiveStreamRequest,
        layout: Layout, session: SessionID?, startedBy: PeerID?
    ) throws(LiveStreamError) -> LiveStream {
        guard settings.destinations.knows(request.destination) else {
            throw .notFound("the policy has no destination '\(request.destination)'")
        }
        let ladder =
            request.ladder ?? settings.destinations.ladder(for: request.destination)
            ?? settings.ladder
        let (instant, time) = clock()
        let id = ids.next(at: time, random: UInt32.random(in: 0...UInt32.max))
        let directory = "\(settings.outputDirectory)/\(room)/\(id)"
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw .storage("\(directory): \(error.localizedDescription)")
        }
        let stream = LiveStream(
            id: id, room: room, session: session, variant: variant,
            recording: request.recording, destination: request.destination,
            audio: request.audio, layout: layout.json,
            playbackURL: "\(settings.publicBaseURL)/hls/\(room)/\(id)/master.m3u8",
            createdAt: time, startedBy: startedBy?.rawValue ?? "")
        archive.insert(stream)
        entries[id] = StreamOnAir(
            machine: StreamMachine(
                rules: settings.rules, isEmpty: !occupied.contains(room), at: instant),
            ladder: ladder, layout: layout, directory: directory, requestedAt: instant)
        log(.info, "stream requested", id, ["by": "\(startedBy?.rawValue ?? "server")"])
        announce(id)
        let orders = entries[id]?.machine.timePassed(at: instant) ?? []
        carryOut(orders, of: id)
        return archive[id] ?? stream
    }

    private func requestStop(_ id: StreamID, by peer: PeerID?) {
        guard let entry = entries[id] else { return }
        if entry.machine.status != .stopping {
            archive.update(id) { $0.stoppedBy = peer?.rawValue ?? "" }
        }
        let orders =
            entries[id]?.machine.stopRequested(reason: "client request", at: clock().instant)
            ?? []
        carryOut(orders, of: id)
    }

    private func carryOut(_ orders: [StreamMachine.Order], of id: StreamID) {
        for order in orders {
            switch order {
            case .launch(let resumes): launch(id, resumes: resumes)
            case .askToStop: entries[id]?.signals?.yield(.stop)
            case .terminate: entries[id]?.signals?.yield(.terminate)
            case .kill: entries[id]?.signals?.yield(.kill)
            case .finishPlaylists: finishPlaylists(of: id)
            case .changed(let status, let reason): changed(id, to: status, reason: reason)
            }
        }
    }

    private func launch(_ id: StreamID, resumes: Bool) {
        guard var entry = entries[id], let stream = archive[id] else { return }
        let file: String
        do {
            file = try BotConfigurationFile(
                room: stream.room, stream: id, ladder: entry.ladder, audio: stream.audio,
                segmentDuration: settings.segmentDuration, playlist: settings.playlist,
                layout: entry.layout, pictureHosts: settings.pictureHosts,
                preset: settings.preset, encoder: settings.encoder.rawValue,
                isRecorded: stream.recording?.isWanted ?? false,
                logLevel: settings.logLevel, logFormat: settings.logFormat
            ).write(to: entry.directory)
        } catch {
            botExited(
                .notStarted(reason: "the output directory cannot be written: \(error)"), of: id,
                generation: entry.generation)
            return
        }
        let (signals, continuation) = AsyncStream.makeStream(of: BotSignal.self)
        entry.signals?.finish()
        entry.signals = continuation
        entry.generation += 1
        entry.statistics.launches += 1
        entries[id] = entry
        log(.info, resumes ? "bot restarted" : "bot started", id)
        launchQueue.yield(
            BotLaunch(
                job: BotJob(
                    stream: id, room: stream.room, endpoint: endpoint, token: "",
                    outputDirectory: entry.directory, configurationFile: file),
                generation: entry.generation, signals: signals))
    }

    private func supervise(_ launch: BotLaunch) async {
        let id = launch.job.stream
        let exit: BotExit
        do {
            var job = launch.job
            // Valid for longer than a stream may last: a bot that reconnects shows it again.
            job.token = try await authority.makeRoomToken(
                room: job.room, user: "recorder", role: StreamSettings.recorderRole,
                at: clock().time, lifetime: TokenAuthority.lifetimeMaximum)
            exit = await launcher.run(job, signals: launch.signals) { report in
                await self.reported(report, of: id, generation: launch.generation)
            }
        } catch {
            exit = .notStarted(reason: "no token can be made: \(error)")
        }
        botExited(exit, of: id, generation: launch.generation)
    }

    private func reported(_ report: BotReport, of id: StreamID, generation: Int) {
        guard var entry = entries[id], entry.generation == generation else { return }
        let now = clock().instant
        var orders: [StreamMachine.Order] = []
        switch report {
        case .joined: log(.info, "bot joined", id)
        case .running:
            orders = entry.machine.botRunning(at: now)
            if entry.statistics.startedAfter == nil {
                entry.statistics.startedAfter = now - entry.requestedAt
            }
        case .tiles(let tiles): entry.statistics.tiles = tiles
        case .segment: break
        case .warning(let text): log(.warning, "bot warning", id, ["warning": "\(text)"])
        case .reduction(let frameRate, let layersThinned):
            degraded(id, frameRate: frameRate, layersThinned: layersThinned)
        case .stopped(_, let totals): entry.statistics.totals = totals
        case .failed(let reason): log(.error, "bot failed", id, ["reason": "\(reason)"])
        }
        entries[id] = entry
        carryOut(orders, of: id)
    }

    private func degraded(_ id: StreamID, frameRate: Double, layersThinned: Int) {
        let time = clock().time
        archive.update(id) { stream in
            let changes = (stream.degradation?.changes ?? 0) + 1
            stream.degradation = LiveStream.Degradation(
                frameRate: frameRate, layersThinned: layersThinned, changes: changes,
                changedAt: time)
            stream.updatedAt = time
        }
        log(
            .warning, "picture adapted to the CPU", id,
            ["frame_rate": "\(frameRate)", "layers_thinned": "\(layersThinned)"])
    }

    private func botExited(_ exit: BotExit, of id: StreamID, generation: Int) {
        guard entries[id]?.generation == generation else { return }
        entries[id]?.signals?.finish()
        entries[id]?.signals = nil
        log(.info, "bot exited", id, ["exit": "\(exit)"])
        carryOut(entries[id]?.machine.botExited(exit, at: clock().instant) ?? [], of: id)
    }

    private func finishPlaylists(of id: StreamID) {
        guard let directory = entries[id]?.directory else { return }
        do {
            let count = try PlaylistFinisher.finish(in: directory)
            if count > 0 { log(.warning, "playlists ended", id, ["count": "\(count)"]) }
        } catch {
            log(.error, "playlists cannot be ended", id, ["error": "\(error)"])
        }
        try? FileManager.default.removeItem(
            atPath: "\(directory)/\(BotConfigurationFile.name)")
    }

    private func changed(_ id: StreamID, to status: LiveStream.Status, reason: String?) {
        let time = clock().time
        archive.update(id) { stream in
            stream.status = status
            stream.updatedAt = time
            stream.stopReason = reason ?? stream.stopReason
            if status == .running { stream.startedAt = time }
            if status.isFinal { stream.stoppedAt = time }
        }
        log(
            status == .failed ? .error : .info, "stream \(status.rawValue)", id,
            reason.map { ["reason": "\($0)"] } ?? [:])
        if status.isFinal, let entry = entries.removeValue(forKey: id) {
            entry.signals?.finish()
            ended.append((id, entry.statistics))
            if ended.count > Self.statisticsMaximum { ended.removeFirst() }
        }
        announce(id)
    }

    private func announce(_ id: StreamID) {
        guard let stream = archive[id] else { return }
        var streams = archive.onAir(in: stream.room)
        if stream.status.isFinal { streams.append(stream) }
        changeQueue.yield(StreamingChange(room: stream.room, streams: streams))
    }

    private func log(
        _ level: Logger.Level, _ message: Logger.Message, _ id: StreamID,
        _ metadata: Logger.Metadata = [:]
    ) {
        var metadata = metadata
        metadata["stream"] = "\(id)"
        metadata["room"] = "\(archive[id]?.room.rawValue ?? "")"
        logger.log(level: level, message, metadata: metadata)
    }
}
