import ArgumentParser
import Bot
import ChildProcesses
import Clocks
import Foundation
import Glibc
import HLS
import HundredMS
import Jitsi
import Logging
import MediaKernel
import OpenVidu
import RemoteRoom
import Sandbox
import Service
import Speech
import Streams
import Synchronization
import WHIP
import WebPage

struct BotCommand: AsyncParsableCommand, ConfinedCommand {
    static let configuration = CommandConfiguration(
        commandName: "bot",
        abstract: "Join one room unseen and write one stream. Started by the server.",
        discussion: """
            Reports go to standard output, one JSON object a line; logs to standard error. The \
            line "stop" on standard input, its end, SIGINT or SIGTERM finish the stream. A line \
            "layout {…}" changes its layout, "audio {…}" the roles that are heard, \
            "recording {…}" whether what is shown is recorded; "metadata {…}" is listed in its \
            playlists; "output {…}" and "no-output {…}" begin and end a push; "preview {…}" asks \
            for small pictures of it for some seconds.
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
        help: "The user and group to become if started as root, as numbers: 65534:65534.",
        transform: SystemUser.parsing)
    var user: SystemUser?

    /// The browser of a stream that shows a page: it must be started before this process is
    /// confined.
    private var browser: Result<BrowserHandle, BrowserHandle.Failure>?

    /// The program that recognizes speech, for the same reason.
    private var speech: Result<SpeechHandle, KeeperProcess.Failure>?

    /// Read once: the process could not tell a file that was changed meanwhile.
    private var settings: Result<BotConfiguration, any Error>?

    private enum CodingKeys: String, CodingKey {
        case endpoint, token, output, configuration, user
    }

    mutating func confine() {
        FileAccess.narrow()
        OOMScore.raise(by: OOMScore.bot)
        let environment = ProcessInfo.processInfo.environment
        token = token ?? environment[BotProcess.tokenVariable]
        ProcessSecrets.forget([BotProcess.tokenVariable])
        // One that cannot be read is reported later.
        let settings = Result { try BotConfiguration.read(configuration) }
        self.settings = settings
        let known = try? settings.get()
        browser = startBrowser(known)
        speech = startSpeech(known)
        Sandbox.enter(
            .bot(
                outputDirectory: URL(fileURLWithPath: output).path,
                configuration: URL(fileURLWithPath: configuration).path,
                picturesDirectory: known?.picturesDirectory,
                // By which a conference's server proves its name; nil for none.
                authorities: known?.plan.variant.conference?.authorities,
                environment: environment, user: user))
    }

    func run() async throws {
        // The server handles a closed terminal: it stops its streams, or goes on.
        signal(SIGHUP, SIG_IGN)
        let settings = try settings?.get() ?? BotConfiguration.read(configuration)
        let logger = Logger.roomcast(
            "roomcast.bot",
            level: LogLevel(Logger.Level(rawValue: settings.logLevel) ?? .info),
            format: LineLogHandler.Format(rawValue: settings.logFormat) ?? .logfmt,
            copy: Self.reporting())
        let stream = logger.of(room: settings.room, stream: settings.stream)
        stream.reportSandboxGaps()
        guard let token else {
            throw ValidationError("--token or \(BotProcess.tokenVariable) must be given")
        }
        // Without it the stream goes on, with captions from others.
        if case .failure(let failure)? = speech { stream.error("no captions: \(failure)") }
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
                room: try room(of: settings.plan, endpoint: endpoint, token: token),
                outputDirectory: URL(fileURLWithPath: output).path, configuration: settings,
                speech: try? speech?.get()),
            logger: stream
        ).run(stop: signals.reasons, orders: orders)
        throw ExitCode(status)
    }

    private func room(
        of plan: StreamPlan, endpoint: String, token: String
    ) throws -> any RoomAddress {
        switch plan.variant.source {
        case .whep(let source):
            return WHEPAddress(
                endpoint: source.endpoint.text, token: source.token, hosts: plan.sourceHosts)
        case .openVidu(let source):
            guard let credential = OpenViduCredential(token) else {
                throw ValidationError(
                    "a session's token is secret:<the server's secret> or token:<a token>")
            }
            return OpenViduAddress(
                socket: source.socket, session: source.session,
                credential: OpenViduAddress.Credential(credential))
        case .jitsi:
            guard let conference = plan.variant.conference else {
                throw ValidationError("the plan does not say where the conference is")
            }
            return try JitsiAddress(conference, token: token)
        case .page(let page):
            guard let browser, let terms = plan.page else {
                throw ValidationError("the page has no browser")
            }
            let size = plan.ladder.layers[0]
            return WebPageAddress(
                page: page, browser: try browser.get(), width: size.width, height: size.height,
                frameRate: plan.ladder.frameRate, awaitsSignal: terms.awaitsStartSignal,
                hosts: terms.hosts, directory: URL(fileURLWithPath: output).path)
        case nil:
            return HundredMSAddress(endpoint: endpoint, token: token)
        }
    }

    /// Reports what is logged, for the operator's page.
    private static func reporting() -> LineLogHandler.Copy {
        let writer = ReportWriter<BotReport>()
        let allowance = Mutex(LogAllowance(at: MonotonicClock.now))
        return { logger, message, level, _, fields in
            guard let leftOut = allowance.withLock({ $0.take(at: MonotonicClock.now) }) else {
                return
            }
            let more = leftOut > 0 ? [("lines_left_out", "\(leftOut)")] : []
            writer.write(
                .log(
                    BotReport.LogLine(
                        logger: logger, level: level.rawValue, message: message,
                        fields: more + fields)))
        }
    }

    /// Nil for a stream whose speech nobody recognizes.
    private func startSpeech(
        _ settings: BotConfiguration?
    ) -> Result<SpeechHandle, KeeperProcess.Failure>? {
        guard let command = settings?.speech else { return nil }
        return Result { () throws(KeeperProcess.Failure) in
            try SpeechHandle.start(command, executable: Executable.path, user: user)
        }
    }

    /// Nil for a stream without a page.
    private func startBrowser(
        _ settings: BotConfiguration?
    ) -> Result<BrowserHandle, BrowserHandle.Failure>? {
        guard let terms = settings?.plan.page else { return nil }
        return Result { () throws(BrowserHandle.Failure) in
            try BrowserHandle.start(
                executable: Executable.path, user: user, memoryMaximum: terms.memoryMaximum,
                coresMaximum: terms.coresMaximum, hosts: terms.hosts)
        }
    }
}

extension OpenViduAddress.Credential {
    fileprivate init(_ credential: OpenViduCredential) {
        switch credential {
        case .secret(let secret): self = .secret(secret)
        case .token(let token): self = .token(token)
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
