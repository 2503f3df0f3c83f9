public import Catalogue
import Clocks
public import ControlAPI
import Foundation
import Glibc
public import Logging
public import MediaKernel
import NIOCore
import ObjectStorage
import Recording
import Rooms
public import ServiceLifecycle
import Signing
public import Tokens
public import UnixSignals

/// The composition of `roomcast serve`. It creates tokens, streams and HTTP; the caller supplies
/// the rooms as a `SignallingGateway` and `RoomControl`, with the services they need.
public struct RoomcastServer: Sendable {
    public let settings: Settings
    /// Permissions of roles, and destinations of streams.
    let policies: PolicyStore
    public let authority: TokenAuthority
    public let streams: StreamService
    let catalogue: Catalogue
    private let library: RecordingLibrary
    private let linkKey: SigningKey
    private let playbackKey: SigningKey
    private let edges: LiveEdges
    private let store: StoreAccess?
    private let events: StreamEvents?
    /// The streams as peers request them, for the rooms' signalling.
    public let streamsInRoom: StreamsInRoom
    /// Changes of manifests, by one hand.
    let notes: ManifestUpdates
    /// Files that stay here although a store has them.
    let holds = AssetHolds()
    private let claims: [DirectoryClaim]
    private let storage: [HeldFile]
    /// Nil if the settings stay as they are.
    private let reading: SettingsReading?
    private let admin: AdminDesk
    public let logger: Logger

    /// The signals for an orderly stop.
    public static var stopSignals: [UnixSignal] {
        HangUp.isIgnored || !HangUp.comesFromTerminal
            ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup]
    }

    /// Reads the policy and claims the directories, before anything in them is touched.
    ///
    /// - Throws: `SettingsError` for a bad policy file or directories of another server,
    ///   `TokenKeyError`, `CatalogueFileError`.
    /// - Parameters:
    ///   - launcher: starts the bots, as processes in the real server.
    ///   - finishers: starts the processes that make the assets of recorded streams.
    ///   - reading: reads the settings again while the server runs.
    ///   - shown: the settings for the operator's page, as they were given.
    ///   - log: has the log's latest lines for it.
    public init(
        settings: Settings, launcher: any BotLauncher, finishers: any FinisherLauncher,
        reading: SettingsReading? = nil, shown: SettingsTable? = nil, log: LogRing = LogRing(),
        logger: Logger
    ) async throws {
        let policy = try Self.policy(settings)
        let settings = try Self.fitted(settings, logger: logger)
        self.settings = settings
        self.reading = reading
        self.logger = logger
        authority = try TokenAuthority(
            accessKey: settings.access.key, secret: settings.access.secret)
        guard
            let linkKey = SigningKey(
                secret: Array(settings.access.secret.utf8), purpose: .assetLinks),
            let playbackKey = SigningKey(
                secret: Array(settings.access.secret.utf8), purpose: .playback)
        else {
            throw SettingsError.invalid(key: "auth.secret", reason: "at least 32 bytes")
        }
        claims = try Self.claims(settings.stream)
        try Self.makePictureShelf(settings.stream)
        storage = [settings.stream.outputDirectory, settings.stream.recordings.directory]
            .flatMap { [$0, StreamLock.path(in: $0)] }.compactMap { HeldFile($0) }
        catalogue = try Self.openCatalogue(settings.stream)
        policies = try PolicyStore(
            policy: policy, streams: settings.stream, catalogue: catalogue)
        store = try settings.store.map { (store) throws(SettingsError) -> StoreAccess in
            let credentials = try StoreCredentials(store.credentials)
            return StoreAccess(store: store.store) { credentials.current }
        }
        let library = RecordingLibrary(
            catalogue: catalogue, root: settings.stream.recordings.directory, key: linkKey,
            store: store)
        self.library = library
        self.linkKey = linkKey
        self.playbackKey = playbackKey
        let base = settings.http.publicBaseURL
        notes = ManifestUpdates(root: settings.stream.recordings.directory)
        let events = settings.webhooks.map { webhooks in
            StreamEvents(
                accountID: webhooks.accountID, waitsForStore: settings.store != nil,
                link: StreamEvents.linker(library, base: base))
        }
        self.events = events
        let chat = ChatRecorder(logger: logger)
        let edges = LiveEdges(root: settings.stream.outputDirectory, logger: logger)
        let sources: [(any StreamEventSource)?] = [
            events, settings.rooms.openVidu.webhook.map { OpenViduRecordingEvents(webhook: $0) },
        ]
        self.edges = edges
        streams = StreamService(
            settings: policies.standardPolicy.streams, catalogue: catalogue,
            events: sources.compactMap(\.self), authority: authority,
            playbackKey: playbackKey,
            endpoint: settings.http.botEndpoint(port: settings.http.port), launcher: launcher,
            finishers: finishers, chat: chat, edges: edges, logger: logger,
            storage: storage)
        admin = AdminDesk(
            streamService: streams, catalogue: catalogue,
            store: settings.store.map { "\($0.store.location(of: ""))" },
            passwordFile: AdminPasswordFile(path: settings.admin.passwordFile),
            board: SettingsBoard(shown?.inForce ?? []), log: log,
            directories: Self.directories(of: settings), startedAt: UnixTime.now)
        streamsInRoom = StreamsInRoom(
            control: streams, chat: chat, authorities: settings.httpService.authorities)
    }

    /// Serves until one of the signals arrives. Then, in this order: the streams are stopped and
    /// their bots finish, while their rooms still exist; HTTP closes; the rooms' services end.
    ///
    /// - Parameters:
    ///   - calls: nil without group calls.
    ///   - signalling: the protocols by which clients join rooms.
    ///   - services: the services that the rooms need, e.g. the media server; started first, ended
    ///     last.
    ///   - metrics: the metrics of the rooms and their services.
    ///   - signals: the signals to stop on; a program that embeds the server may watch them itself.
    ///   - guest: started last; when it returns, the server stops in good order.
    ///   - onRunning: called with the bound HTTP port.
    public func run(
        gateway: any SignallingGateway & RoomControl, calls: (any GroupCallControl)? = nil,
        signalling: [any SignallingEndpoint],
        observer: any RoomStreamingObserver,
        services: [any ServiceLifecycle.Service], metrics: [any MetricsSource],
        stoppingOn signals: [UnixSignal] = Self.stopSignals,
        guest: (any ServiceLifecycle.Service)? = nil,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        // A dead bot leaves a pipe without a reader; writing to it must be an error, not end the
        // server.
        signal(SIGPIPE, SIG_IGN)
        let followsHangUps =
            reading != nil && !signals.contains(.sighup) && !HangUp.isIgnored
        // Its default action would end a server that is still starting.
        if followsHangUps { signal(SIGHUP, SIG_IGN) }
        if settings.access.usesDevelopmentKey {
            logger.warning(
                "the development key is in use: anybody on this machine can make tokens",
                metadata: ["access_key": "\(settings.access.key)"])
        }
        for variable in settings.unknownVariables {
            let nearest = SettingKey.nearestVariables.of(variable)
            logger.warning(
                "no setting has this name",
                metadata: [
                    "variable": "\(variable)", "perhaps": "\(nearest.joined(separator: " "))",
                ])
        }
        defer { withExtendedLifetime(claims) {} }
        await streams.observe(by: observer)
        try await streams.recover()
        let http = try HTTPService(
            settings.httpService, authority: authority, control: streams, gateway: gateway,
            calls: calls, signalling: signalling,
            templates: policies, recordings: library, playbackKey: playbackKey, edges: edges,
            metrics: [streams] + metrics + machine,
            renewedBody: { [catalogue, events] delivery in
                try await events?.renewed(
                    delivery, from: catalogue, at: UnixTime.now)
            }, admin: admin, logger: logger)
        let settings = settings
        let streams = streams
        let application = try http.application { port in
            streams.listening(at: settings.http.botEndpoint(port: port))
            await onRunning(port)
        }
        // The sender ends last, after the streams and rooms have reported their ends.
        let sender: [any ServiceLifecycle.Service] =
            settings.webhookReceivers.map {
                [WebhookSender(receivers: $0, catalogue: catalogue, logger: logger)]
            } ?? []
        let keepers =
            try await [
                StorageWatch(files: storage + catalogue.files, logger: logger),
                FigureSampler(note: http.noteFigures),
            ]
            + assetKeepers()
        let watchers: [any ServiceLifecycle.Service] =
            try rereading(http, followsHangUps: followsHangUps)
            + (settings.http.metrics.map { [MetricsServer(http: http, address: $0)] } ?? [])
        let all = sender + services + keepers + watchers + [application, streams]
        var configurations = all.map {
            ServiceGroupConfiguration.ServiceConfiguration(service: $0)
        }
        if let guest {
            configurations.append(
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: guest, successTerminationBehavior: .gracefullyShutdownGroup))
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: configurations, gracefulShutdownSignals: signals, logger: logger))
        do {
            try await group.run()
        } catch {
            throw SettingsError(error, at: settings.http.place) ?? error
        }
    }

    private func rereading(
        _ http: HTTPService, followsHangUps: Bool
    ) throws -> [any ServiceLifecycle.Service] {
        guard let reading else { return [] }
        let parts = LiveParts(
            http: http, policies: policies, authority: authority,
            signingKeys: [linkKey, playbackKey], streams: streams, level: reading.level)
        let rereader = try SettingsRereader(
            reading, settings: settings, parts: parts, board: admin.board, logger: logger)
        return [Rereading(rereader: rereader, followsHangUps: followsHangUps)]
    }

    /// The server's use of resources.
    private var machine: [any MetricsSource] {
        [
            DiskMetrics(directories: Self.directories(of: settings)),
            ProcessMetrics(),
        ]
    }

    /// By the names of their settings.
    private static func directories(of settings: Settings) -> [(setting: String, path: String)] {
        [
            ("output", settings.stream.outputDirectory),
            ("recordings", settings.stream.recordings.directory),
        ]
    }

    /// The services that manage finished assets.
    private func assetKeepers() async throws -> [any ServiceLifecycle.Service] {
        let root = settings.stream.recordings.directory
        guard let store, let storeSettings = settings.store else {
            try await catalogue.releaseDeliveries(at: UnixTime.now)
            return [
                AssetRetention(
                    catalogue: catalogue, root: root, notes: notes, holds: holds, logger: logger)
            ]
        }
        let connection = StoreConnection(timeout: storeSettings.timeout)
        let manners = StoreManners()
        func makeClient(timeout: Duration) -> StoreClient {
            StoreClient(
                access: store, line: StoreHTTP(client: connection.client, timeout: timeout),
                manners: manners, logger: logger)
        }
        let client = makeClient(timeout: storeSettings.timeout)
        let liveClient = makeClient(
            timeout: min(storeSettings.timeout, LiveUploads.timeoutMaximum))
        return [
            connection,
            AssetRetention(
                catalogue: catalogue, root: root, notes: notes, store: client, holds: holds,
                logger: logger),
            AssetUploads(
                settings: storeSettings, catalogue: catalogue, root: root, notes: notes,
                events: events, client: client, holds: holds, logger: logger),
            LiveUploads(
                settings: storeSettings, root: root, streams: settings.stream.outputDirectory,
                keptFor: settings.stream.recordings.kept, source: streams, client: liveClient,
                logger: logger),
        ]
    }

    /// Ensures that only one server runs: another one would end this one's streams, as it does with
    /// those of a dead server.
    private static func claims(_ settings: StreamSettings) throws -> [DirectoryClaim] {
        try [
            ("output.directory", settings.outputDirectory),
            ("recordings.directory", settings.recordings.directory),
        ].map { key, directory in
            do {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true)
                if let claim = try DirectoryClaim(directory) { return claim }
            } catch let error as RecordingError {
                throw SettingsError.invalid(key: key, reason: error.description)
            } catch {
                throw SettingsError.invalid(
                    key: key, reason: "\(directory) cannot be used: \(error.systemReason)")
            }
            throw SettingsError.invalid(
                key: key, reason: "\(directory) is in use by another server")
        }
    }

    /// Before the first bot, which gets the right to read a directory that is there.
    private static func makePictureShelf(_ settings: StreamSettings) throws(SettingsError) {
        let directory = settings.picturesDirectory
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw .invalid(
                key: "output.directory",
                reason: "\(directory) cannot be used: \(error.systemReason)")
        }
    }

    /// The locations of a stream's assets: paths, or addresses in the store.
    ///
    /// - Throws: `CatalogueError`.
    public func assetFiles(of stream: StreamID) async throws -> [String] {
        try await catalogue.assets(of: [stream])[stream, default: []].map {
            $0.location ?? "\(settings.stream.recordings.directory)/\($0.path)"
        }
    }

    /// Opens the catalogue in the directory of recordings, and creates both if necessary.
    ///
    /// - Throws: `SettingsError`, `CatalogueFileError`.
    public static func openCatalogue(_ settings: StreamSettings) throws -> Catalogue {
        do {
            try FileManager.default.createDirectory(
                atPath: settings.recordings.directory, withIntermediateDirectories: true)
        } catch {
            throw SettingsError.invalid(
                key: "recordings.directory",
                reason: "\(settings.recordings.directory) cannot be used: \(error.systemReason)")
        }
        let path = "\(settings.recordings.directory)/\(catalogueName)"
        do {
            return try Catalogue(path: path)
        } catch {
            throw CatalogueFileError(path: path, error: error)
        }
    }

    private static let catalogueName = "catalogue.sqlite"

    /// The settings with maxima that fit the available file descriptors.
    ///
    /// - Throws: `.tooFewDescriptors`.
    private static func fitted(
        _ settings: Settings, logger: Logger
    ) throws(SettingsError) -> Settings {
        DescriptorLimit.raise()
        let wish = settings.descriptorWish
        let budget: DescriptorBudget
        do throws(DescriptorBudget.Shortage) {
            budget = try DescriptorBudget(
                fitting: wish, into: DescriptorLimit.current, own: settings.ownDescriptors())
        } catch {
            throw .tooFewDescriptors(
                limit: error.limit, needed: error.needed, own: error.own, reserve: error.reserve)
        }
        let shares = budget.shares
        logger.log(
            level: shares == wish ? .info : .notice,
            shares == wish
                ? "file descriptors suffice for all maxima"
                : "maxima are lowered to what there are file descriptors for",
            metadata: [
                "limit": "\(budget.limit)", "own": "\(budget.own)", "reserve": "\(budget.reserve)",
                "http_connections": "\(shares.connections)", "tcp_links": "\(shares.links)",
                "streams": "\(shares.bots)", "finishers": "\(shares.finishers)",
            ])
        return settings.fitted(to: budget)
    }
}
