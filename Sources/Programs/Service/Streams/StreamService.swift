import Catalogue
import ChildProcesses
import Clocks
import Logging
public import MediaKernel
public import ServiceLifecycle
import Signing
import Stage
public import Streams
import Tokens

/// All live streams and recordings of this server: their records, state machines and bots.
///
/// Each stream's life is decided by its `StreamMachine`; this actor tells the machine what
/// happened and carries out what it orders. Bots and finishers run as child tasks of `run`, so
/// nothing is left behind when that returns. What a final state says is on the disk before it is
/// told to anybody.
public actor StreamService: LiveStreamControl, Service {
    /// Between two looks at the deadlines; a fraction of the shortest of them.
    static let tickInterval: Duration = .milliseconds(100)
    /// Statistics of ended streams that are kept.
    static let statisticsMaximum = 100
    /// How long the news that a stream is running waits for its copy in a store.
    static let copyWaitMaximum: Duration = .seconds(5)
    /// How long a finisher waits for the last messages of the chat to be in their file.
    static let chatWaitMaximum: Duration = .seconds(5)
    /// How long a server that is stopped waits for finishers. What they leave is finished after
    /// the next start.
    static let finishersAtShutdown: Duration = .seconds(30)

    let settings: StreamSettings
    let authority: TokenAuthority
    let playbackKey: SigningKey
    let launcher: any BotLauncher
    let finishers: any FinisherLauncher
    let persister: StreamPersister
    let chat: ChatRecorder
    let logger: Logger
    let clock: @Sendable () -> (instant: Instant, time: UnixTime)
    let processors: @Sendable () -> ProcessorCounters?
    let countedMemoryKills: @Sendable () -> Int?

    var observer: (any RoomStreamingObserver)?
    var endpoint: String
    var ids = StreamIDs()
    var archive = StreamArchive()
    var entries: [StreamID: StreamOnAir] = [:]
    var ended: [(id: StreamID, statistics: StreamStatistics)] = []
    var counts = StreamCounts()
    var starts = StreamStarts()
    /// Of the rooms that somebody is in.
    var occupancies: [RoomID: RoomOccupancy] = [:]
    /// Of rooms that somebody is in, too.
    var autoStarters: [AutoStartKey: AutoStarter] = [:]
    var idleCores = IdleCores()
    var memoryKills = MemoryKills()
    var finisherQueue = FinisherQueue()
    /// The queue as the streams' states have it.
    var toldPositions: [StreamID] = []
    public private(set) var isShuttingDown = false
    private var shutdownDeadline: Instant?

    private let launches: AsyncStream<StreamLaunch>
    let launchQueue: AsyncStream<StreamLaunch>.Continuation
    private let changes: AsyncStream<StreamingChange>
    let changeQueue: AsyncStream<StreamingChange>.Continuation

    /// - Parameters:
    ///   - catalogue: what becomes of the streams is written there, beside their directories.
    ///   - events: what is told of streams by webhooks; nil for nothing.
    ///   - endpoint: where bots find the server; `listening` corrects it once the port is known.
    ///   - storage: the directories of streams and recordings, and the locks in them.
    ///   - touching: hears which directory is touched next; for tests.
    ///   - clock: the monotonic and the wall clock.
    ///   - processors: what the kernel counts of them.
    ///   - memoryKills: how many processes it has killed for want of memory.
    init(
        settings: StreamSettings, catalogue: Catalogue, events: StreamEvents? = nil,
        authority: TokenAuthority, playbackKey: SigningKey, endpoint: String,
        launcher: any BotLauncher, finishers: any FinisherLauncher, chat: ChatRecorder,
        logger: Logger, storage: [HeldFile] = [],
        touching: @escaping @Sendable (String) -> Void = { _ in },
        clock: @escaping @Sendable () -> (instant: Instant, time: UnixTime) = {
            (MonotonicClock.now, UnixTime.now)
        },
        processors: @escaping @Sendable () -> ProcessorCounters? = ProcessorCounters.current,
        memoryKills: @escaping @Sendable () -> Int? = MemoryKills.counted
    ) {
        self.settings = settings
        self.authority = authority
        self.playbackKey = playbackKey
        self.endpoint = endpoint
        self.launcher = launcher
        self.finishers = finishers
        self.chat = chat
        persister = StreamPersister(
            keeper: StreamKeeper(
                catalogue: catalogue, recordings: settings.recordingsDirectory, events: events),
            disk: StreamDisk(
                recordings: settings.recordingsDirectory, held: storage, touching: touching),
            clock: { clock().instant }, logger: logger)
        self.logger = logger
        self.clock = clock
        self.processors = processors
        countedMemoryKills = memoryKills
        // Bounded by the streams on air: each yields a handful of launches and changes.
        (launches, launchQueue) = AsyncStream.makeStream()
        (changes, changeQueue) = AsyncStream.makeStream()
    }

    /// Tells the streams who to ask about rooms and who to tell. To be called before `run`.
    public func observe(by observer: any RoomStreamingObserver) { self.observer = observer }

    /// The server is reachable there.
    public func listening(at endpoint: String) { self.endpoint = endpoint }

    // MARK: LiveStreamControl

    public func checkStorage() async throws(LiveStreamError) {
        try await persister.check(.directories)
    }

    public func stop(
        room: RoomID, kind: LiveStream.Kind, metadata: Set<String>?, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        await startsOver(in: room)
        let streams = archive.onAir(in: room, kind).filter { stream in
            metadata?.contains(stream.plan.variant.metadata) ?? true
        }
        guard !streams.isEmpty else {
            guard let latest = try await current(room: room, kind: kind) else {
                throw .notFound(
                    "room \(room) never had a \(kind == .stream ? "live stream" : "recording")")
            }
            return [latest]
        }
        for stream in streams { requestStop(stream.id, by: stoppedBy) }
        await settle(streams.map(\.id))
        return streams.compactMap { archive[$0.id] }
    }

    public func stop(
        stream: StreamID, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream {
        requestStop(stream, by: stoppedBy)
        await settle([stream])
        guard let record = try await self.stream(stream) else {
            throw .notFound("stream \(stream)")
        }
        return record
    }

    public func update(
        stream: StreamID, _ change: LiveStreamChange
    ) async throws(LiveStreamError) -> LiveStream {
        guard let record = try await self.stream(stream) else {
            throw .notFound("stream \(stream)")
        }
        let scene = await observer?.scene(of: record.room) ?? StreamScene()
        guard let plan = archive[stream]?.plan, let status = entries[stream]?.machine.status,
            status.isOnAir, status != .stopping
        else { throw .notOnAir(stream) }
        // Before anything is changed: it may be refused.
        if let json = change.layout {
            let layout: Layout
            do throws(LayoutError) {
                layout = try plan.layout.changed(by: json, pictures: plan.pictureHosts)
            } catch {
                throw .invalidLayout(error.description)
            }
            entries[stream]?.signals?.yield(.order(.layout(layout)))
            archive.update(stream) { $0.plan.layout = layout }
            log(.info, "layout changed", stream, ["layout": "\(layout.name.rawValue)"])
        }
        if let roles = change.roles {
            let names = roles.names
            entries[stream]?.signals?.yield(.order(.roles(names.map(Set.init))))
            archive.update(stream) { $0.plan.audio.roles = names }
            log(
                .info, "audible roles changed", stream,
                ["roles": "\(names?.joined(separator: ",") ?? "all")"])
        }
        let time = clock().time
        archive.update(stream) { $0.updatedAt = time }
        var changed = archive[stream] ?? record
        changed.warnings = scene.warnings(of: change)
        for warning in changed.warnings {
            log(.warning, "a change may not be what was meant", stream, ["reason": "\(warning)"])
        }
        return changed
    }

    // MARK: Statistics

    /// What the bots of a stream reported; nil for an unknown or long forgotten one.
    public func statistics(of id: StreamID) -> StreamStatistics? {
        entries[id]?.statistics ?? ended.last { $0.id == id }?.statistics
    }

    /// Whether a bot of the stream is alive, as far as is known here.
    func hasBot(_ id: StreamID) -> Bool { entries[id]?.signals != nil }

    /// Whether a finisher of the stream is at work, as far as is known here.
    func hasFinisher(_ id: StreamID) -> Bool { entries[id]?.finisherSignals != nil }

    // MARK: Service

    /// Runs bots and finishers until the service group shuts down: then all streams are stopped,
    /// and it returns when the last of them is finished.
    public func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepTime() }
            group.addTask { await self.persister.run { await self.finalStateKept($0) } }
            group.addTask { await self.tellRooms() }
            for await launch in launches {
                switch launch {
                case .bot(let launch): group.addTask { await self.supervise(launch) }
                case .finisher(let job, let signals):
                    group.addTask { await self.supervise(job, signals: signals) }
                }
            }
            persister.finish()
            changeQueue.finish()
        }
    }

    /// Looks at the deadlines. `run` calls it many times a second; tests call it by themselves.
    public func tick() {
        let now = clock().instant
        if Task.isShuttingDownGracefully, !isShuttingDown { shutDown(at: now) }
        observeCPU(at: now)
        observeMemory(at: now)
        tellHeld(at: now)
        for id in entries.keys.sorted() {
            guard let deadline = entries[id]?.machine.nextDeadline, deadline <= now else {
                continue
            }
            let orders = entries[id]?.machine.timePassed(at: now) ?? []
            carryOut(orders, of: id)
        }
        startFinishers(at: now)
        tellFinisherPositions()
        persister.retry(at: now)
        if isShuttingDown { leaveWaiting() }
        if let shutdownDeadline, shutdownDeadline <= now { leaveFinishing() }
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
            switch change {
            case .streams(let room, let streams):
                await observer?.streamingChanged(room: room, streams: streams)
            case .recording(let room, let recording):
                await observer?.recordingChanged(room: room, recording: recording)
            }
        }
    }

    private func shutDown(at now: Instant) {
        isShuttingDown = true
        shutdownDeadline = now + settings.rules.stopTimeout + Self.finishersAtShutdown
        for id in entries.keys.sorted() { requestStop(id, for: .serverStopped) }
    }

    /// Nobody waits for a full disk when the server is to stop.
    private func leaveWaiting() {
        for (id, entry) in entries where entry.machine.waitsForRoom {
            log(.warning, "post-processing is left to the next start", id)
            forget(id)
        }
    }

    /// The finishers that are still at work end here, and ends that cannot be written down are
    /// waited for no longer; the next server sees to both.
    private func leaveFinishing() {
        for (id, entry) in entries {
            switch entry.machine.status {
            case .postProcessing:
                log(.warning, "post-processing is left to the next start", id)
                entry.finisherSignals?.yield(.kill)
                forget(id)
            case .completed, .failed:
                log(.error, "the stream's end is not written down", id)
                forget(id)
            case .starting, .running, .stopping: break
            }
        }
    }

    private func forget(_ id: StreamID) {
        entries[id] = nil
        finisherQueue.remove(id)
    }
}
