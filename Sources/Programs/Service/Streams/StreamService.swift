import Catalogue
import Clocks
import ControlAPI
import Logging
public import MediaKernel
public import ServiceLifecycle
import Signing
public import Streams
import Tokens

/// All live streams and recordings of this server: their records, state machines and bots.
///
/// `StreamAdmission` decides which streams begin, and each stream's `StreamMachine` decides its
/// life; this actor tells them what happened and carries out their decisions. It owns the
/// `StreamBook`, which is in memory only, and waits neither for processes nor for disks:
/// `StreamSupervisor` runs bots and finishers, `StreamPersister` reads and writes files and rows. A
/// final state is on disk before anybody is told.
public actor StreamService: LiveStreamControl, Service {
    /// The interval between two looks at the deadlines; a fraction of the shortest one.
    static let tickInterval: Duration = .milliseconds(100)
    /// How long a stopping server waits for finishers. The next server completes their work.
    static let finishersAtShutdown: Duration = .seconds(30)

    let settings: StreamSettings
    /// Of bots to come.
    let botLogLevel: LogLevel
    let playbackKey: SigningKey
    let persister: StreamPersister
    let supervisor: StreamSupervisor
    let chat: ChatRecorder
    /// The origin's view of low-latency streams; nil where nothing is served.
    let edges: (any LiveEdgeFeed)?
    let logger: Logger
    let clock: @Sendable () -> (instant: Instant, time: UnixTime)

    var observer: (any RoomStreamingObserver)?
    var ids = StreamIDs()
    var book = StreamBook()
    var rooms = RoomWatch()
    var kernel: KernelWatch
    var finisherQueue = FinisherQueue()
    public private(set) var isShuttingDown = false
    private var shutdownDeadline: Instant?

    private let changes: AsyncStream<StreamingChange>
    let changeQueue: AsyncStream<StreamingChange>.Continuation

    /// - Parameters:
    ///   - catalogue: records the streams, beside their directories.
    ///   - events: the webhook events of streams.
    ///   - endpoint: the server's address for bots; `listening` corrects it once the port is known.
    ///   - storage: the directories of streams and recordings, and the locks in them.
    ///   - touching: receives each directory before it is accessed; for tests.
    ///   - clock: the monotonic and the wall clock.
    ///   - processors: reads the kernel's counters of processors.
    ///   - memoryKills: reads how many processes the kernel has killed for lack of memory.
    init(
        settings: StreamSettings, catalogue: Catalogue, events: [any StreamEventSource] = [],
        authority: TokenAuthority, playbackKey: SigningKey, endpoint: String,
        launcher: any BotLauncher, finishers: any FinisherLauncher, chat: ChatRecorder,
        edges: (any LiveEdgeFeed)? = nil, logger: Logger, storage: [HeldFile] = [],
        touching: @escaping @Sendable (String) -> Void = { _ in },
        clock: @escaping @Sendable () -> (instant: Instant, time: UnixTime) = {
            (MonotonicClock.now, UnixTime.now)
        },
        processors: @escaping @Sendable () -> ProcessorCounters? = ProcessorCounters.current,
        memoryKills: @escaping @Sendable () -> Int? = MemoryKills.counted
    ) {
        self.settings = settings
        botLogLevel = LogLevel(Logger.Level(rawValue: settings.log.level) ?? .info)
        self.playbackKey = playbackKey
        persister = StreamPersister(
            recordStore: StreamRecordStore(
                catalogue: catalogue, recordings: settings.recordings.directory, events: events),
            disk: StreamDisk(
                recordings: settings.recordings.directory, held: storage, touching: touching),
            clock: { clock().instant }, logger: logger)
        supervisor = StreamSupervisor(
            launcher: launcher, finishers: finishers, authority: authority,
            sources: settings.sources, chat: chat,
            endpoint: endpoint, time: { clock().time }, logger: logger)
        self.chat = chat
        self.edges = edges
        self.logger = logger
        self.clock = clock
        kernel = KernelWatch(processors: processors, kills: memoryKills)
        // Bounded by the streams on air: each yields a handful of changes.
        (changes, changeQueue) = AsyncStream.makeStream()
    }

    /// Sets the source of facts about rooms and the receiver of news. Must be called before `run`.
    public func observe(by observer: any RoomStreamingObserver) { self.observer = observer }

    /// Sets the address at which the server is reachable.
    public nonisolated func listening(at endpoint: String) { supervisor.listening(at: endpoint) }

    // MARK: Figures

    /// Whether the server would accept one more stream.
    var canAccept: Bool {
        let capacity = settings.capacity(book, kernel, at: clock().instant)
        return !isShuttingDown && capacity.refusal(ofNew: 1) == nil
    }

    /// The reports of a stream's bots; nil for an unknown or long forgotten stream.
    public func statistics(of id: StreamID) -> StreamStatistics? {
        book.statistics(of: id)
    }

    // MARK: Service

    /// Runs bots and finishers until the service group shuts down; then stops all streams, and
    /// returns when the last one is finished.
    public func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while await !self.isOver, !Task.isCancelled {
                    await self.tick()
                    try? await Task.sleep(for: Self.tickInterval)
                }
                self.supervisor.finish()
            }
            group.addTask { await self.persister.run { await self.finalStateKept($0) } }
            group.addTask { await self.tellRooms() }
            await self.supervisor.run(self)
            persister.finish()
            changeQueue.finish()
        }
    }

    /// Checks the deadlines. `run` calls it many times a second; tests call it directly.
    public func tick() {
        let now = clock().instant
        if Task.isShuttingDownGracefully { shutDown(at: now) }
        kernel.look(at: now)
        edges?.timePassed(at: now)
        for id in book.unfinished {
            if let end = book[life: id]?.runningIsHeldUntil, end <= now {
                log(.warning, "the stream runs before its copy can be played", id)
                tellRunning(id)
            }
            guard let deadline = book[life: id]?.machine.nextDeadline, deadline <= now else {
                continue
            }
            carryOut(book[life: id]?.machine.timePassed(at: now), of: id)
        }
        startFinishers(at: now)
        book.setPositions(finisherQueue.waiting)
        persister.retry(at: now)
        if let shutdownDeadline { leaveBehind(isOverdue: shutdownDeadline <= now) }
        if isOver { supervisor.finish() }
    }

    private var isOver: Bool { isShuttingDown && book.unfinished.isEmpty }

    /// Stops all streams; `run` returns when the last one has ended, or its time is over.
    func shutDown(at now: Instant) {
        guard !isShuttingDown else { return }
        isShuttingDown = true
        shutdownDeadline = now + settings.rules.stopTimeout + Self.finishersAtShutdown
        for id in book.unfinished { requestStop(id, for: .serverStopped) }
    }

    // MARK: Inside

    private func tellRooms() async {
        for await change in changes {
            switch change {
            case .streams(let room, let streams):
                await observer?.streamingChanged(room: room, streams: streams)
            case .recording(let room, let shown, let changed):
                await observer?.recordingChanged(room: room, shown: shown, changed: changed)
            case .outputs(let room, let streams):
                await observer?.outputsChanged(room: room, streams: streams)
            }
        }
    }

    /// Leaves work to the next server at shutdown. Assets that wait for disk space are left at
    /// once. When the time is over, everything is left: running finishers are killed, and neither
    /// unsaved ends nor starts that a hanging disk holds up are waited for.
    private func leaveBehind(isOverdue: Bool) {
        for id in book.unfinished {
            guard let life = book[life: id],
                isOverdue || life.machine.waitsForRoom && !life.status.isOnAir
            else { continue }
            if life.status.isFinal {
                log(.error, "the stream's end is not written down", id)
            } else if life.status.isOnAir {
                log(.error, "the stream has not ended, the next start ends it", id)
            } else {
                log(.warning, "post-processing is left to the next start", id)
            }
            book[life: id]?.processes.killBot(for: .serverStopped)
            book[life: id]?.processes.killFinisher(for: .serverStopped)
            book.endLife(id)
            edges?.ended(id)
            finisherQueue.remove(id)
        }
    }
}
