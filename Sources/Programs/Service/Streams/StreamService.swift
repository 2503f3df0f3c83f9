import Catalogue
import Clocks
import Logging
public import MediaKernel
public import ServiceLifecycle
import Signing
public import Streams
import Tokens

/// All live streams and recordings of this server: their records, state machines and bots.
///
/// `StreamAdmission` decides which streams begin, and each stream's `StreamMachine` what becomes of
/// it; this actor tells them what happened and carries out what they say. It has the `StreamBook`,
/// which is all in memory, and waits neither for a process nor for a disk: `StreamSupervisor` runs
/// bots and finishers, `StreamPersister` reads and writes files and rows. What a final state says is
/// on the disk before it is told to anybody.
public actor StreamService: LiveStreamControl, Service {
    /// Between two looks at the deadlines; a fraction of the shortest of them.
    static let tickInterval: Duration = .milliseconds(100)
    /// How long a server that is stopped waits for finishers. What they leave is finished after
    /// the next start.
    static let finishersAtShutdown: Duration = .seconds(30)

    let settings: StreamSettings
    let playbackKey: SigningKey
    let persister: StreamPersister
    let supervisor: StreamSupervisor
    let chat: ChatRecorder
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
        self.playbackKey = playbackKey
        persister = StreamPersister(
            keeper: StreamKeeper(
                catalogue: catalogue, recordings: settings.recordingsDirectory, events: events),
            disk: StreamDisk(
                recordings: settings.recordingsDirectory, held: storage, touching: touching),
            clock: { clock().instant }, logger: logger)
        supervisor = StreamSupervisor(
            launcher: launcher, finishers: finishers, authority: authority, chat: chat,
            endpoint: endpoint, time: { clock().time }, logger: logger)
        self.chat = chat
        self.logger = logger
        self.clock = clock
        kernel = KernelWatch(processors: processors, kills: memoryKills)
        // Bounded by the streams on air: each yields a handful of changes.
        (changes, changeQueue) = AsyncStream.makeStream()
    }

    /// Tells the streams who to ask about rooms and who to tell. To be called before `run`.
    public func observe(by observer: any RoomStreamingObserver) { self.observer = observer }

    /// The server is reachable there.
    public nonisolated func listening(at endpoint: String) { supervisor.listening(at: endpoint) }

    // MARK: Figures

    /// Whether one more stream would be taken.
    var canAccept: Bool {
        let capacity = settings.capacity(book, kernel, at: clock().instant)
        return !isShuttingDown && capacity.refusal(ofNew: 1) == nil
    }

    /// What the bots of a stream reported; nil for an unknown or long forgotten one.
    public func statistics(of id: StreamID) -> StreamStatistics? {
        book.statistics(of: id)
    }

    // MARK: Service

    /// Runs bots and finishers until the service group shuts down: then all streams are stopped,
    /// and it returns when the last of them is finished.
    public func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepTime() }
            group.addTask { await self.persister.run { await self.finalStateKept($0) } }
            group.addTask { await self.tellRooms() }
            await self.supervisor.run(self)
            persister.finish()
            changeQueue.finish()
        }
    }

    /// Looks at the deadlines. `run` calls it many times a second; tests call it by themselves.
    public func tick() {
        let now = clock().instant
        if Task.isShuttingDownGracefully, !isShuttingDown {
            isShuttingDown = true
            shutdownDeadline = now + settings.rules.stopTimeout + Self.finishersAtShutdown
            for id in book.unfinished { requestStop(id, for: .serverStopped) }
        }
        kernel.look(at: now)
        tellHeld(at: now)
        for id in book.unfinished {
            guard let deadline = book[life: id]?.machine.nextDeadline, deadline <= now else {
                continue
            }
            carryOut(book[life: id]?.machine.timePassed(at: now), of: id)
        }
        startFinishers(at: now)
        book.setPositions(finisherQueue.waiting)
        persister.retry(at: now)
        if let shutdownDeadline { leaveBehind(isOverdue: shutdownDeadline <= now) }
        if isShuttingDown, book.unfinished.isEmpty { supervisor.finish() }
    }

    // MARK: Inside

    private func keepTime() async {
        while !(isShuttingDown && book.unfinished.isEmpty), !Task.isCancelled {
            tick()
            try? await Task.sleep(for: Self.tickInterval)
        }
        supervisor.finish()
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

    /// Nobody waits for a full disk when the server is to stop. At last the finishers that are
    /// still at work end as well, and ends that cannot be written down are waited for no longer;
    /// the next server sees to both.
    private func leaveBehind(isOverdue: Bool) {
        for id in book.unfinished {
            guard let life = book[life: id], isOverdue || life.machine.waitsForRoom,
                !life.status.isOnAir
            else { continue }
            if life.status.isFinal {
                log(.error, "the stream's end is not written down", id)
            } else {
                log(.warning, "post-processing is left to the next start", id)
            }
            book[life: id]?.processes.killFinisher(for: .serverStopped)
            book.endLife(id)
            finisherQueue.remove(id)
        }
    }
}
