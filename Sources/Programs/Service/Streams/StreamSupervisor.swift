import ChildProcesses
import HundredMSTerms
import Logging
import MediaKernel
import Rooms
import Streams
import Synchronization
import Tokens

/// Runs bots and finishers, each in a child task of `run`, so that none outlives it. No other type
/// knows processes.
final class StreamSupervisor: Sendable {
    /// How long a finisher waits for the last chat messages to be written.
    static let chatWaitMaximum: Duration = .seconds(5)

    /// A process that is to be started.
    private enum Job: Sendable {
        case bot(BotJob, LiveStreamVariant, generation: Int, AsyncStream<BotSignal>)
        case finisher(FinisherJob, AsyncStream<FinisherSignal>)
    }

    private let launcher: any BotLauncher
    private let finishers: any FinisherLauncher
    private let authority: TokenAuthority
    private let sources: StreamSettings.Sources
    private let chat: ChatRecorder
    private let time: @Sendable () -> UnixTime
    private let logger: Logger
    /// The server's address for bots.
    private let endpoint: Mutex<String>
    private let jobs: AsyncStream<Job>
    private let queue: AsyncStream<Job>.Continuation

    init(
        launcher: any BotLauncher, finishers: any FinisherLauncher, authority: TokenAuthority,
        sources: StreamSettings.Sources, chat: ChatRecorder, endpoint: String,
        time: @escaping @Sendable () -> UnixTime, logger: Logger
    ) {
        self.launcher = launcher
        self.finishers = finishers
        self.authority = authority
        self.sources = sources
        self.chat = chat
        self.endpoint = Mutex(endpoint)
        self.time = time
        self.logger = logger
        // Bounded by the streams on air: each yields a handful of jobs.
        (jobs, queue) = AsyncStream.makeStream()
    }

    /// Sets the address at which the server is reachable.
    func listening(at endpoint: String) { self.endpoint.withLock { $0 = endpoint } }

    /// - Parameters:
    ///   - configuration: the path of the bot's configuration.
    ///   - generation: passed back with the bot's reports.
    ///   - signals: the signals for the bot.
    func startBot(
        of stream: LiveStream, in directory: String, configuration: String, generation: Int,
        signals: AsyncStream<BotSignal>
    ) {
        let job = BotJob(
            stream: stream.id, room: stream.room, endpoint: endpoint.withLock { $0 }, token: "",
            outputDirectory: directory, configurationFile: configuration)
        queue.yield(.bot(job, stream.plan.variant, generation: generation, signals))
    }

    /// - Parameter signals: the signals for the finisher.
    func startFinisher(_ job: FinisherJob, signals: AsyncStream<FinisherSignal>) {
        queue.yield(.finisher(job, signals))
    }

    /// No more processes will be started.
    func finish() { queue.finish() }

    /// Runs processes until `finish` is called and the last one has ended.
    func run(_ observer: any StreamProcessObserver) async {
        await withDiscardingTaskGroup { group in
            for await job in jobs {
                switch job {
                case .bot(let job, let variant, let generation, let signals):
                    group.addTask {
                        let exit = await self.run(job, variant, generation, signals, observer)
                        await observer.botExited(exit, of: job.stream, generation: generation)
                    }
                case .finisher(let job, let signals):
                    group.addTask {
                        let exit = await self.run(job, signals, observer)
                        await observer.finisherExited(exit, of: job.stream)
                    }
                }
            }
        }
    }

    private func run(
        _ job: BotJob, _ variant: LiveStreamVariant, _ generation: Int,
        _ signals: AsyncStream<BotSignal>, _ observer: any StreamProcessObserver
    ) async -> BotExit {
        var job = job
        do throws(LiveStreamError) {
            if let secret = try sources.secret(of: variant) {
                job.token = secret
                return await run(job, generation, signals, observer)
            }
        } catch { return .notStarted(reason: error.description) }
        do {
            // Valid for longer than any stream lasts: a bot that reconnects presents it again.
            job.token = try authority.makeRoomToken(
                room: job.room, user: "recorder", role: HundredMSTerms.recorderRole,
                at: time(), lifetime: TokenAuthority.lifetimeMaximum)
        } catch {
            return .notStarted(reason: "no token can be made: \(error)")
        }
        return await run(job, generation, signals, observer)
    }

    private func run(
        _ job: BotJob, _ generation: Int, _ signals: AsyncStream<BotSignal>,
        _ observer: any StreamProcessObserver
    ) async -> BotExit {
        await launcher.run(job, signals: signals) { [id = job.stream] report in
            await observer.reported(report, of: id, generation: generation)
        }
    }

    private func run(
        _ job: FinisherJob, _ signals: AsyncStream<FinisherSignal>,
        _ observer: any StreamProcessObserver
    ) async -> FinisherExit {
        if await !chat.caughtUp(job.stream, within: Self.chatWaitMaximum) {
            logger.error(
                "the end of the chat is not written yet", metadata: ["stream": "\(job.stream)"])
        }
        return await finishers.run(job, signals: signals) { report in
            await observer.reported(report, of: job.stream)
        }
    }
}

/// Receives the reports and ends of bots and finishers.
protocol StreamProcessObserver: Sendable {
    /// - Parameter generation: the number of the stream's bot.
    func reported(_ report: BotReport, of id: StreamID, generation: Int) async
    func botExited(_ exit: BotExit, of id: StreamID, generation: Int) async
    func reported(_ report: FinisherReport, of id: StreamID) async
    func finisherExited(_ exit: FinisherExit, of id: StreamID) async
}
