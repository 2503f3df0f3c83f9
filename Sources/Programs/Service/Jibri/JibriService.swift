import ControlAPI
import Foundation
public import Jibri
public import Logging
import NIOPosix
public import ServiceLifecycle
import Synchronization

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

    private let settings: JibriSettings
    private let desk: JibriDesk
    private let lines: BreweryLines
    private let watch: JibriWatch
    private let files: CallFiles
    private let webhooks: JibriWebhooks
    private let exit = JibriExit()
    private let logger: Logger

    /// - Throws: ``JibriServiceError``.
    public init(settings: JibriSettings, server: RoomcastServer, logger: Logger) throws {
        self.settings = settings
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
        watch = JibriWatch(desk: desk, recorder: recorder) { [files] in await files.fault() }
        webhooks = JibriWebhooks(settings, token: try Self.token(settings), logger: logger)
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

    public func run() async throws {
        await files.recover()
        let control = JibriReception(desk: desk, watch: watch, exit: exit)
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask { try await serve(control) }
                for work in works() {
                    group.addTask {
                        await work()
                        return false
                    }
                }
                group.addTask {
                    await untilLeft()
                    return true
                }
                defer { group.cancelAll() }
                for try await isOver in group where isOver { break }
            }
        } onGracefulShutdown: {
            control.stop()
        }
        await webhooks.close()
    }

    private func works() -> [@Sendable () async -> Void] {
        [
            { await lines.run(desk) }, { await files.run() }, { await watch.run() },
            { for await health in watch.reports { await webhooks.post(health) } },
        ]
    }

    /// - Returns: false.
    private func serve(_ control: JibriReception) async throws -> Bool {
        let api = RecorderAPI(control: control, logger: logger)
        let http = settings.http
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Self.explained("external-api-port", http.externalHost, http.externalPort)
                {
                    try await api.external(
                        host: http.externalHost, port: Int(http.externalPort)
                    ).run()
                }
            }
            group.addTask {
                try await Self.explained("internal-api-port", http.internalHost, http.internalPort)
                {
                    try await api.internal(
                        host: http.internalHost, port: Int(http.internalPort)
                    ).run()
                }
            }
            try await group.waitForAll()
        }
        return false
    }

    private static func explained(
        _ key: String, _ host: String, _ port: UInt16, _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch is CancellationError {
            // In good order.
        } catch {
            throw JibriServiceError(
                description: "jibri.api.http.\(key): \(host):\(port) cannot be used: \(error)")
        }
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
