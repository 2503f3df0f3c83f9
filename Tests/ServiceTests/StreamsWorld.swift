import Catalogue
import ChildProcesses
import ControlAPI
import Foundation
import Logging
import MediaKernel
import Signing
import Streams
import Synchronization
import Testing
import Tokens
import Workbench

@testable import Service

/// Streams with simulated bots, on a clock that the test moves.
final class StreamsWorld: Sendable {
    private let scratch: Scratch
    let streams: StreamService
    let catalogue: Catalogue
    let authority: TokenAuthority
    let launcher = LauncherDouble()
    let finishers = FinisherDouble()
    let observer = ObserverDouble()
    let chat = ChatRecorder(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let clock = ClockDouble()
    let processors = ProcessorsDouble()
    let playbackKey: SigningKey
    let memory = MemoryDouble()
    let edges = EdgesDouble()
    let disk = DiskDouble()
    /// Whether the streams' `run` has returned.
    let hasEnded = Mutex(false)

    /// - Parameter prepare: fills the directory of a previous server.
    init(
        _ change: (inout StreamSettings) -> Void = { _ in },
        into prepare: (String) throws -> Void = { _ in }
    ) async throws {
        scratch = try Scratch()
        let directory = scratch.path
        try prepare(directory)
        var settings = StreamSettings()
        settings.outputDirectory = directory
        settings.recordings.directory = "\(directory)/recordings"
        settings.playback.publicBaseURL = "http://h:1"
        change(&settings)
        authority = try TokenAuthority(
            accessKey: "key", secret: "a secret of at least thirty-two bytes")
        let clock = clock
        let processors = processors
        let memory = memory
        let disk = disk
        catalogue = try Catalogue(path: "\(directory)/catalogue.sqlite")
        guard let key = SigningKey(secret: Array(repeating: 7, count: 32), purpose: .playback)
        else { fatalError("a secret of 32 bytes is long enough") }
        playbackKey = key
        streams = StreamService(
            settings: settings, catalogue: catalogue,
            events: [
                StreamEvents(accountID: "acc") { asset, _ in
                    .init(file: "http://h:1/\(asset.id)")
                },
                OpenViduRecordingEvents(
                    webhook: OpenViduWebhook(
                        url: "http://h:1/openvidu", events: ["recordingStatusChanged"])),
            ],
            authority: authority, playbackKey: key,
            endpoint: "http://127.0.0.1:1",
            launcher: launcher, finishers: finishers, chat: chat, edges: edges,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            storage: [HeldFile(directory)].compactMap { $0 },
            touching: { disk.touched($0) },
            clock: { (clock.instant, clock.time) },
            processors: { processors.counters(at: clock.instant) },
            memoryKills: { memory.kills.withLock { $0 } })
        await streams.observe(by: observer)
        launcher.settle.withLock { settle in
            settle = { [weak streams] in await streams?.settle([$0]) }
        }
    }

    var directory: String { scratch.path }

    /// Runs the streams during the body, then ends them.
    func run(_ body: @Sendable (StreamsWorld) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await self.streams.run()
                self.hasEnded.withLock { $0 = true }
            }
            try await body(self)
            group.cancelAll()
            disk.recover()
            launcher.endAll()
            finishers.endAll()
        }
    }

    /// A stream whose bot has said that it is on air.
    func running(_ request: LiveStreamRequest) async throws -> (StreamID, BotDouble) {
        let id = try await streams.start(room: "demo", request, startedBy: nil)[0].id
        let bot = try #require(await launcher.next())
        await bot.say(.running(firstSegmentMilliseconds: 1))
        return (id, bot)
    }

    /// Lets a bot end and waits for its replacement.
    func replace(_ bot: BotDouble, _ exit: BotExit) async throws -> BotDouble? {
        try await end(bot, exit)
        clock.advance(.seconds(1))
        await tick()
        return await launcher.next()
    }

    /// Lets a bot end and waits until that is known.
    func end(_ bot: BotDouble, _ exit: BotExit) async throws {
        bot.exit(exit)
        try await until { await !streams.hasBot(bot.job.stream) }
        await streams.settle([bot.job.stream])
    }

    /// Lets the streams look at their deadlines, and waits for what comes of that.
    func tick() async {
        await streams.tick()
        await settle()
    }

    /// Looks at a room, and waits for the starts that come of it.
    func seen(_ room: RoomID, _ occupancy: RoomOccupancy) async {
        await streams.seen(room, occupancy)?.value
    }

    /// Waits for what is being done for streams.
    func settle() async { await streams.settle(streams.book.unfinished) }
}

extension StreamService {
    /// Whether a bot of the stream is alive, as far as is known.
    func hasBot(_ id: StreamID) -> Bool { book[life: id]?.processes.hasBot ?? false }

    /// Whether a finisher of the stream is at work, as far as is known.
    func hasFinisher(_ id: StreamID) -> Bool { book[life: id]?.processes.hasFinisher ?? false }
}

/// Lets other tasks work until the condition holds; if it never does, fails at the waiting line.
func until(
    at place: SourceLocation = #_sourceLocation, within limit: Duration = .seconds(30),
    _ condition: () async throws -> Bool
) async throws {
    guard try await !comesAbout(within: limit, condition) else { return }
    Issue.record("this did not come about within \(limit)", sourceLocation: place)
    throw InVain()
}

/// Ends a test whose further lines stand on what did not come about: an index would end all of them.
struct InVain: Error {}

/// Advances only when told to; starts in October 2025.
final class ClockDouble: Sendable {
    private let elapsed = Mutex(Duration.zero)

    func advance(_ duration: Duration) { elapsed.withLock { $0 += duration } }

    var instant: Instant { .zero + elapsed.withLock { $0 } }
    var time: UnixTime { UnixTime(seconds: 1_760_000_000) + elapsed.withLock { $0 } }
}

/// Processors with as many idle cores as a test sets.
final class ProcessorsDouble: Sendable {
    private struct State {
        var cores = 2.0
        var idle = 0.0
        var since = Instant.zero
    }
    private let state = Mutex(State())

    /// Applies from now on.
    func setIdle(_ cores: Double, at now: Instant) {
        state.withLock { state in
            state.idle += state.cores * (now - state.since).inSeconds
            state.since = now
            state.cores = cores
        }
    }

    func counters(at now: Instant) -> ProcessorCounters {
        state.withLock { state in
            ProcessorCounters(
                idle: 1000 + state.idle + state.cores * (now - state.since).inSeconds, group: nil)
        }
    }
}

/// A kernel that has killed this many processes for lack of memory.
final class MemoryDouble: Sendable {
    let kills = Mutex(0)
}

/// A disk that hangs on the directories that a test names.
final class DiskDouble: Sendable {
    private let condition = NSCondition()
    private let hung = Mutex<Set<String>>([])
    private let waiting = Mutex<[String]>([])

    /// Everything below hangs from now on.
    func hang(_ directory: String) { _ = hung.withLock { $0.insert(directory) } }

    /// What was to be touched and hangs.
    var hanging: [String] { waiting.withLock { $0 } }

    func recover() {
        condition.lock()
        hung.withLock { $0 = [] }
        condition.broadcast()
        condition.unlock()
    }

    /// On the thread that is about to touch it.
    func touched(_ path: String) {
        condition.lock()
        defer { condition.unlock() }
        func hangs() -> Bool { hung.withLock { $0.contains { path.hasPrefix($0) } } }
        guard hangs() else { return }
        waiting.withLock { $0.append(path) }
        // A test that has ended early lets nobody hang.
        let deadline = Date.now + 60
        while hangs(), condition.wait(until: deadline) {}
    }
}

/// A bot as seen from outside: what it is told, and what the test lets it say.
final class BotDouble: Sendable {
    let job: BotJob
    private let signals: AsyncStream<BotSignal>
    let report: @Sendable (BotReport) async -> Void
    private let settle: @Sendable (StreamID) async -> Void
    private let ending = AsyncStream.makeStream(of: BotExit.self)

    init(
        _ job: BotJob, _ signals: AsyncStream<BotSignal>,
        _ report: @escaping @Sendable (BotReport) async -> Void,
        _ settle: @escaping @Sendable (StreamID) async -> Void
    ) {
        self.job = job
        self.signals = signals
        self.report = report
        self.settle = settle
    }

    /// Waits for what comes of it.
    func say(_ event: BotReport) async {
        await report(event)
        await settle(job.stream)
    }

    func exit(_ exit: BotExit) { ending.continuation.yield(exit) }
    func nextSignal() async -> BotSignal? { await signals.first { _ in true } }

    func life() async -> BotExit {
        await ending.stream.first { _ in true } ?? .failed(reason: "cancelled")
    }
}

final class LauncherDouble: BotLauncher {
    private let bots = AsyncStream.makeStream(of: BotDouble.self)
    private let all = Mutex<[BotDouble]>([])
    /// Waits for what is being done for a stream.
    let settle = Mutex<@Sendable (StreamID) async -> Void>({ _ in })

    func run(
        _ job: BotJob, signals: AsyncStream<BotSignal>,
        report: @escaping @Sendable (BotReport) async -> Void
    ) async -> BotExit {
        let bot = BotDouble(job, signals, report, settle.withLock { $0 })
        all.withLock { $0.append(bot) }
        bots.continuation.yield(bot)
        return await bot.life()
    }

    func next() async -> BotDouble? { await bots.stream.first { _ in true } }

    func endAll() {
        for bot in all.withLock({ $0 }) { bot.exit(.finished(reason: "end of the test")) }
    }
}

/// Finishers that end when the test says so.
final class FinisherDouble: FinisherLauncher {
    struct Run: Sendable {
        let job: FinisherJob
        let signals: AsyncStream<FinisherSignal>
        let report: @Sendable (FinisherReport) async -> Void
        let ending = AsyncStream.makeStream(of: FinisherExit.self)

        func exit(_ exit: FinisherExit) { ending.continuation.yield(exit) }
    }

    private let runs = AsyncStream.makeStream(of: Run.self)
    private let all = Mutex<[Run]>([])

    func run(
        _ job: FinisherJob, signals: AsyncStream<FinisherSignal>,
        report: @escaping @Sendable (FinisherReport) async -> Void
    ) async -> FinisherExit {
        let run = Run(job: job, signals: signals, report: report)
        all.withLock { $0.append(run) }
        runs.continuation.yield(run)
        return await run.ending.stream.first { _ in true } ?? .failed(reason: "cancelled")
    }

    func next() async -> Run? { await runs.stream.first { _ in true } }

    func endAll() { for run in all.withLock({ $0 }) { run.exit(.finished) } }
}

final class ObserverDouble: RoomStreamingObserver {
    private let changes = AsyncStream.makeStream(of: [LiveStream].self)

    let scene = Mutex(
        StreamScene(
            session: "session-1",
            origin: LiveStream.Origin(
                roomName: "hall", template: "lecture",
                sessionStartedAt: UnixTime(seconds: 1_750_000_000))))

    func scene(of room: RoomID) async -> StreamScene { scene.withLock { $0 } }

    /// Nil means as configured.
    let settings = Mutex<[RoomID: StreamSettings]>([:])
    /// A room whose settings are unavailable.
    static let unknownRoom: RoomID = "unknown"

    func settings(of room: RoomID) async throws(LiveStreamError) -> StreamSettings? {
        guard room != Self.unknownRoom else { throw .unknownPolicy("why") }
        return settings.withLock { $0[room] }
    }

    func streamingChanged(room: RoomID, streams: [LiveStream]) async {
        changes.continuation.yield(streams)
    }

    func outputsChanged(room: RoomID, streams: [LiveStream]) async {}

    func recordingChanged(room: RoomID, shown: LiveStream, changed: LiveStream) async {
        changes.continuation.yield([shown])
    }

    func next() async -> [LiveStream]? { await changes.stream.first { _ in true } }

    /// The first stream whose end is reported.
    func ending() async -> LiveStream? {
        await changes.stream.first { $0.contains(where: \.status.isFinal) }?
            .first(where: \.status.isFinal)
    }
}
