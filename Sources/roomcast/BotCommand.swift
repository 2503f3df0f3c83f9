import ArgumentParser
import Bot
import ChildProcesses
import Foundation
import Glibc
import HundredMS
import Logging
import MediaKernel
import RemoteRoom
import Sandbox
import Service
import Streams
import WHIP

struct BotCommand: AsyncParsableCommand, ConfinedCommand {
    static let configuration = CommandConfiguration(
        commandName: "bot",
        abstract: "Join one room unseen and write one stream. Started by the server.",
        discussion: """
            Reports go to standard output, one JSON object a line; logs to standard error. The \
            line "stop" on standard input, its end, SIGINT or SIGTERM finish the stream; a line \
            "layout {…}" changes its layout, "audio {…}" the roles that are heard, \
            "recording {…}" whether what is shown is recorded, "metadata {…}" is listed in its \
            playlists, and "output {…}" and "no-output {…}" begin and end a push.
            """)

    @Option(help: "Origin of the server: http://127.0.0.1:8080")
    var endpoint: String

    @Option(help: "A room token; without it the variable ROOMCAST_BOT_TOKEN is read.")
    var token: String?

    @Option(help: "The stream's own directory.")
    var output: String

    @Option(help: "The JSON file with the stream's settings.")
    var configuration: String

    @Option(
        help: "Whom to become if started as root: the numbers of a user and a group, 65534:65534.",
        transform: SystemUser.parsing)
    var user: SystemUser?

    mutating func confine() {
        FileAccess.narrow()
        OOMScore.raise(by: OOMScore.bot)
        let environment = ProcessInfo.processInfo.environment
        token = token ?? environment[BotProcess.tokenVariable]
        ProcessSecrets.forget([BotProcess.tokenVariable])
        Sandbox.enter(
            .bot(
                outputDirectory: URL(fileURLWithPath: output).path,
                configuration: URL(fileURLWithPath: configuration).path,
                environment: environment, user: user))
    }

    func run() async throws {
        // The server handles a closed terminal: it stops its streams, or goes on.
        signal(SIGHUP, SIG_IGN)
        let settings = try BotConfiguration.read(configuration)
        let logger = Logger.roomcast(
            "roomcast.bot",
            level: Logger.Level(rawValue: settings.logLevel) ?? .info,
            format: LineLogHandler.Format(rawValue: settings.logFormat) ?? .logfmt)
        let stream = logger.of(room: settings.room, stream: settings.stream)
        stream.reportSandboxGaps()
        guard let token else {
            throw ValidationError("--token or \(BotProcess.tokenVariable) must be given")
        }
        let signals = StopSignals()
        let (orders, sink) = AsyncStream.makeStream(
            of: BotOrder.self, bufferingPolicy: .bufferingNewest(BotOrder.waitingMaximum))
        signals.followStandardInput { line in
            if let order = BotOrder(line: line) {
                sink.yield(order)
            } else {
                // Not all of it: orders may hold secrets.
                stream.warning(
                    "order not understood",
                    metadata: ["order": "\(line.prefix { $0 != " " }.prefix(40))"])
            }
        }
        let status = await BotRunner(
            options: BotRunner.Options(
                room: Self.room(of: settings.plan, endpoint: endpoint, token: token),
                outputDirectory: URL(fileURLWithPath: output).path, configuration: settings),
            logger: stream
        ).run(stop: signals.reasons, orders: orders)
        throw ExitCode(status)
    }

    private static func room(
        of plan: StreamPlan, endpoint: String, token: String
    ) -> any RoomAddress {
        if let source = plan.variant.source {
            WHEPAddress(
                endpoint: source.endpoint.text, token: source.token, hosts: plan.sourceHosts)
        } else {
            HundredMSAddress(endpoint: endpoint, token: token)
        }
    }
}

extension Logger {
    fileprivate func of(room: RoomID, stream: StreamID) -> Logger {
        var logger = self
        logger[metadataKey: "room"] = "\(room)"
        logger[metadataKey: "stream"] = "\(stream)"
        return logger
    }
}
