import ControlAPI
import Foundation
public import Jibri
public import Logging
import NIOPosix
public import ServiceLifecycle

/// Why a Jibri's part cannot start: always something that the operator can repair.
public struct JibriServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}

/// What makes a server a Jibri: its slots in the breweries, and Jibri's HTTP interface. Runs beside
/// the server, which records.
public struct JibriService: Service {
    /// How long what is recorded may take to be completed where the program is told to end at once.
    /// The next start does the rest.
    static let haste = Duration.seconds(60)

    private let desk: JibriDesk
    private let lines: BreweryLines
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
        let links = BreweryLink.all(of: settings)
        do {
            lines = try BreweryLines(
                slots: slots, links: links, on: MultiThreadedEventLoopGroup.singleton,
                logger: logger)
        } catch {
            throw JibriServiceError(description: "TLS cannot be set up: \(error)")
        }
        let streams = server.streams
        files = CallFiles(
            catalogue: server.catalogue, control: streams,
            recordings: server.settings.stream.recordings.directory, settings: settings,
            width: slots, logger: logger)
        let watchPages = "\(server.settings.http.publicBaseURL)/watch"
        let recorder = StreamCallRecorder(
            control: streams, settings: settings, files: files, logger: logger
        ) { call throws(RecordingFailure) in
            try CallPlan(call, settings.timeouts, watchPages: watchPages)
        }
        desk = JibriDesk(
            slots: slots, links: links, isSingleUse: settings.isSingleUse, recorder: recorder,
            post: lines, logger: logger)
        let check = DirectoryCheck(settings.recordingsDirectory)
        watch = JibriWatch(desk: desk, recorder: recorder) { await check.fault() }
        webhooks = JibriWebhooks(settings, token: try Self.token(settings), logger: logger)
        control = JibriReception(desk: desk, watch: watch, exit: exit)
        let api = RecorderAPI(control: control, logger: logger)
        let places = settings.http
        // With a shutdown of its own: the health is to be seen as long as anything is recorded.
        http = ServiceGroup(
            services: [
                Place(
                    key: "external-api-port", host: places.externalHost,
                    port: places.externalPort, api.external),
                Place(
                    key: "internal-api-port", host: places.internalHost,
                    port: places.internalPort, api.internal),
            ], logger: logger)
    }

    /// One of the HTTP servers.
    private struct Place: Service {
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
                throw JibriServiceError(
                    description: "jibri.api.http.\(key): \(host):\(port) cannot be used: \(error)")
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
        case http, slots, lines, other
    }

    public func run() async throws {
        await files.recover()
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Part.self) { group in
                group.addTask {
                    try await http.run()
                    return .http
                }
                group.addTask {
                    await lines.run(desk)
                    return .lines
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
                    if over.isSuperset(of: [.http, .slots, .lines]) { break }
                }
            }
        } onGracefulShutdown: {
            control.stop()
        }
        await webhooks.close()
    }

    private func works() -> [@Sendable () async -> Void] {
        [
            { await files.run() }, { await watch.run() },
            { for await health in watch.reports { await webhooks.post(health) } },
        ]
    }

    /// Until each slot has left, and what is to be done of its recordings is done.
    private func untilLeft() async {
        await desk.run()
        lines.leave()
        logger.info("jibri: every slot has left")
        await withTaskGroup(of: Void.self) { group in
            group.addTask { while await !files.isIdle, !Task.isCancelled { await Self.pause() } }
            group.addTask { await exit.overdue(Self.haste) }
            await group.next()
            group.cancelAll()
        }
    }

    private static func pause() async { try? await Task.sleep(for: JibriWatch.interval) }
}
