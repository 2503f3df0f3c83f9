public import ChildProcesses
public import ControlAPI
public import Logging
import MediaKernel
public import Sandbox
public import Streams
import Subprocess
import Synchronization
import SystemPackage

/// Starts bots as processes of their own: `<executable> bot …`.
///
/// The token is passed in the environment, since anybody on the machine can read the arguments of a
/// process. Of the server's own environment, bots get only the variables that `ChildProcess` lists.
/// A bot whose parent dies sees the end of its standard input and finishes by itself.
public struct BotProcess: BotLauncher {
    /// The environment variable with a bot's token.
    public static let tokenVariable = "ROOMCAST_BOT_TOKEN"

    private let executable: String
    private let user: SystemUser?
    private let logger: Logger
    /// Gets the lines of bots' logs; nil for nobody.
    private let log: LogRing?

    /// - Parameters:
    ///   - executable: the path of the program with the `bot` command.
    ///   - user: the user that runs bots; nil for the server's own.
    ///   - log: gets the lines of their logs for the operator's page, too.
    public init(
        executable: String, user: SystemUser?, logger: Logger, log: LogRing? = nil
    ) {
        self.executable = executable
        self.user = user
        self.logger = logger
        self.log = log
    }

    public func run(
        _ job: BotJob, signals: AsyncStream<BotSignal>,
        report: @escaping @Sendable (BotReport) async -> Void
    ) async -> BotExit {
        let ending = Mutex(Ending())
        let copied = log.map { BotLog($0, of: job) }
        var options = PlatformOptions()
        options.teardownSequence = [
            .send(signal: .terminate, allowedDurationToNextStep: .seconds(5))
        ]
        do {
            let result = try await Subprocess.run(
                .path(FilePath(executable)), arguments: arguments(of: job),
                environment: ChildProcess.environment(
                    adding: [Environment.Key(stringLiteral: Self.tokenVariable): job.token]),
                platformOptions: options,
                input: .inputWriter, output: .sequence, error: .currentStandardError
            ) { execution in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let (orders, continuation) = AsyncStream.makeStream(of: String.self)
                    group.addTask { await Self.write(orders, execution) }
                    group.addTask { await Self.obey(signals, continuation, execution) }
                    let lines = execution.standardOutput.strings(
                        separatedBy: ChildProcess.lineEnd,
                        bufferingPolicy: .maxLineLength(BotReport.lineBytesMaximum))
                    for try await line in lines {
                        guard let event = BotReport(line: line) else { continue }
                        if case .log(let line) = event {
                            copied?.add(line)
                            continue
                        }
                        ending.withLock { Self.note(event, in: &$0) }
                        await report(event)
                    }
                    group.cancelAll()
                }
            }
            let ending = ending.withLock { $0 }
            let status = result.terminationStatus
            guard status.isSuccess, !ending.hasFailed else {
                return .failed(
                    reason: ending.reason, failure: ending.failure,
                    ending.hasFailed ? .reported : ProcessEnding(status))
            }
            return .finished(reason: ending.reason)
        } catch let error as SubprocessError
            where error.code == .spawnFailed
            || error.code == .executableNotFound
        {
            return .notStarted(reason: "the bot cannot be started: \(error)")
        } catch {
            return .failed(reason: "\(error)")
        }
    }

    /// A bot's own report of its end.
    private struct Ending {
        var reason = ""
        var hasFailed = false
        var failure: BotFailure?
    }

    private static func note(_ report: BotReport, in ending: inout Ending) {
        switch report {
        case .stopped(let reason, _): ending.reason = reason
        case .failed(let reason, let failure):
            ending = Ending(reason: reason, hasFailed: true, failure: failure)
        case .joined, .running, .atWork, .tiles, .segment, .warning, .reduction, .leftOut,
            .frameRate, .usage, .push, .part, .segmentListed, .caption, .identity, .message,
            .log:
            break
        }
    }

    private typealias Bot = Execution<CustomWriteInput, SequenceOutput, FileDescriptorOutput>

    /// Never waits for the bot, so that a bot that does not read its orders can still be killed.
    ///
    /// - Parameter orders: takes the lines for the bot's standard input.
    private static func obey(
        _ signals: AsyncStream<BotSignal>, _ orders: AsyncStream<String>.Continuation, _ bot: Bot
    ) async {
        for await signal in signals {
            // A process that is already gone ignores signals; its end is reported anyway.
            switch signal {
            case .stop: orders.yield("stop\n")
            case .order(let order):
                if let line = try? order.line() { orders.yield("\(line)\n") }
            case .terminate: try? bot.send(signal: .terminate)
            case .kill: try? bot.send(signal: .kill)
            }
        }
        orders.finish()
    }

    /// Waits while the bot has not read earlier orders.
    private static func write(_ orders: AsyncStream<String>, _ bot: Bot) async {
        for await order in orders { _ = try? await bot.standardInputWriter.write(order) }
    }

    private func arguments(of job: BotJob) -> Arguments {
        Arguments(
            [
                "bot", "--endpoint", job.endpoint, "--output", job.outputDirectory,
                "--configuration", job.configurationFile,
            ] + ChildProcess.arguments(as: user))
    }
}
