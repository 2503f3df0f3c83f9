import ControlAPI
import Foundation
public import Jibri
public import Logging
import MediaKernel
import NIOPosix
public import ServiceLifecycle

/// Why a Jibri's part cannot start: always something that the operator can repair.
public struct JibriServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}

/// What makes a server a Jibri: its slots in the breweries, and Jibri's HTTP interface. Runs beside
/// the server, which records.
public struct JibriService: Service {
    private let desk: JibriDesk
    private let connections: SlotConnections
    private let recorder: any CallRecorder
    private let watch: JibriWatch
    private let files: CallFiles
    private let webhooks: JibriWebhooks
    private let exit = JibriExit()
    private let control: JibriReception
    private let http: ServiceGroup
    private let logger: Logger

    /// - Throws: ``JibriServiceError``.
    public init(settings: JibriSettings, server: RoomcastServer, logger: Logger) throws {
        self.logger = logger
        // A slot for each stream that may be: whether the machine bears it is asked each time.
        let slots = server.settings.stream.limits.streams
        let servers = BreweryServer.all(of: settings)
        do {
            connections = try SlotConnections(
                slots: slots, servers: servers, on: MultiThreadedEventLoopGroup.singleton,
                logger: logger)
        } catch {
            throw JibriServiceError(description: "TLS cannot be set up: \(error)")
        }
        let streams = server.streams
        files = CallFiles(
            catalogue: server.catalogue, control: streams,
            recordings: server.settings.stream.recordings.directory, settings: settings,
            holds: server.holds, width: slots, logger: logger)
        let files = files
        let watchPages = "\(server.settings.http.publicBaseURL)/watch"
        let recorder = StreamCallRecorder(
            control: streams, settings: settings, files: files, logger: logger
        ) { call throws(RecordingFailure) in
            try CallPlan(call, settings.timeouts, watchPages: watchPages)
        }
        self.recorder = recorder
        desk = JibriDesk(
            slots: slots, servers: servers, isSingleUse: settings.isSingleUse, recorder: recorder,
            post: connections, logger: logger)
        let check = DirectoryCheck(settings.recordingsDirectory)
        watch = JibriWatch(
            desk: desk, recorder: recorder, trouble: { await files.trouble },
            check: { await check.fault() })
        webhooks = JibriWebhooks(settings, token: try Self.token(settings), logger: logger)
        control = JibriReception(
            desk: desk, watch: watch, exit: exit, showsMetrics: settings.showsMetrics)
        let api = RecorderAPI(control: control, logger: logger)
        let places = settings.http
        // With a shutdown of its own: the health is to be seen as long as anything is recorded.
        http = ServiceGroup(
            services: [
                Place(
                    key: "external-api", host: places.externalHost,
                    port: places.externalPort, api.external),
                Place(
                    key: "internal-api", host: places.internalHost,
                    port: places.internalPort, api.internal),
            ], logger: logger)
    }

    /// One of the HTTP servers.
    private struct Place: Service {
        /// What the names of its settings begin with.
        let key: String
        let host: String
        let port: UInt16
        let server: any Service

        init(
            key: String, host: String, port: UInt16,
            _ server: (_ host: String, _ port: Int) -> some Service
        ) {
            (self.key, self.host, self.port) = (key, host, port)
            self.server = server(host, Int(port))
        }

        func run() async throws {
            do {
                try await server.run()
            } catch {
                let place = BindingPlace(
                    host: ("jibri.api.http.\(key)-host", host),
                    port: ("jibri.api.http.\(key)-port", Int(port)))
                throw SettingsError(error, at: place) ?? error
            }
        }
    }

    private static func token(_ settings: JibriSettings) throws -> JibriToken? {
        guard let signing = settings.signing else { return nil }
        guard let pem = FileManager.default.contents(atPath: signing.keyFile) else {
            throw JibriServiceError(description: "\(signing.keyFile) cannot be read")
        }
        guard let token = JibriToken(signing, key: Array(pem)) else {
            throw JibriServiceError(description: "\(signing.keyFile) has no RSA key")
        }
        return token
    }

    /// Jibri's exit status: its unit starts it again after 0, and leaves it be after 255.
    public var exitStatus: Int32 { exit.status }

    private enum Part {
        case http, slots, connections, other
    }

    public func run() async throws {
        let isDone = try await withGracefulShutdownHandler {
            try await JibriDeparture(exit: exit).run({ try await work() }, giveUp: giveUp)
        } onGracefulShutdown: {
            control.stop()
        }
        let closing = Task { await webhooks.close() }
        if isDone { await closing.value }
    }

    private func work() async throws {
        await files.recover()
        try await withThrowingTaskGroup(of: Part.self) { group in
            group.addTask {
                try await http.run()
                return .http
            }
            group.addTask {
                await connections.run(desk)
                return .connections
            }
            for work in works() {
                group.addTask {
                    await work()
                    return .other
                }
            }
            group.addTask {
                await untilLeft()
                await http.triggerGracefulShutdown()
                return .slots
            }
            defer { group.cancelAll() }
            var over: Set<Part> = []
            for try await part in group {
                over.insert(part)
                if over.isSuperset(of: [.http, .slots, .connections]) { break }
            }
        }
    }

    /// Says what is left to the next start.
    @Sendable private func giveUp() async {
        let (unfinished, left) = (await recorder.unfinished, await files.left)
        logger.warning(
            "jibri: ends although not everything is done; the next start goes on with it",
            metadata: [
                "after": "\(JibriDeparture.limit.inSeconds) s",
                "unfinished": "\(unfinished.joined(separator: " "))",
                "undelivered": "\(left.joined(separator: " "))",
            ])
        connections.leave()
    }

    private func works() -> [@Sendable () async -> Void] {
        [
            { await files.run() }, { await watch.run() },
            { for await health in watch.reports { await webhooks.post(health) } },
        ]
    }

    /// Until each slot has left, and no script runs any more.
    private func untilLeft() async {
        await desk.run()
        connections.leave()
        logger.info("jibri: every slot has left")
        while await !files.isIdle, !Task.isCancelled {
            try? await Task.sleep(for: JibriWatch.interval)
        }
        // Who gives up says it.
        guard !Task.isCancelled else { return }
        for session in await files.left {
            logger.notice(
                "jibri: the next start goes on with a recording",
                metadata: ["session": "\(session)"])
        }
    }
}
