public import Catalogue
public import Clocks
import HTTPTypes
public import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
public import MediaKernel
import NIOCore
import NIOHTTP1
import NIOSSL
public import Signing
public import Streams
public import Tokens

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why the server cannot start: always a mistake that the operator can repair.
public enum HTTPServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    case certificate(String)
    case pages(String)

    public var description: String {
        switch self {
        case .certificate(let reason): "TLS cannot be set up: \(reason)"
        case .pages(let reason): reason
        }
    }
}

/// The HTTP side of Roomcast: routes, WebSocket, origin and pages on one address.
public struct HTTPService: Sendable {
    /// The new body of a webhook event that is sent again, e.g. with valid links; nil to keep the
    /// old one.
    public typealias RenewedBody = @Sendable (CatalogueDelivery) async throws -> [UInt8]?

    private let configuration: HTTPServiceConfiguration
    private let authority: TokenAuthority
    private let control: any LiveStreamControl
    private let gateway: any SignallingGateway & RoomControl
    private let calls: (any GroupCallControl)?
    private let signalling: [any SignallingEndpoint]
    private let templates: any TemplateControl
    private let recordings: RecordingLibrary
    private let playbackKey: SigningKey
    private let origin: Origin
    private let census = ViewerCensus(clock: { MonotonicClock.now })
    private let times = RequestTimes(clock: { MonotonicClock.now })
    private let metrics: [any MetricsSource]
    private let renewedBody: RenewedBody
    private let admin: AdminOffice?
    private let languages: Languages
    /// Nil without TLS.
    private let identity: HeldIdentity?
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime

    /// - Parameters:
    ///   - calls: nil without group calls.
    ///   - signalling: the protocols by which clients join rooms.
    ///   - playbackKey: signs addresses of live streams.
    ///   - edges: the low-latency streams on air; nil to serve all streams from their files.
    ///   - metrics: the sources for `/metrics`, in the order of output.
    ///   - renewedBody: of an event that is sent again.
    ///   - admin: what the operator's page knows; nil without the page's data.
    ///   - clock: the wall clock for checking tokens.
    public init(
        _ configuration: HTTPServiceConfiguration, authority: TokenAuthority,
        control: any LiveStreamControl, gateway: any SignallingGateway & RoomControl,
        calls: (any GroupCallControl)? = nil, signalling: [any SignallingEndpoint],
        templates: any TemplateControl, recordings: RecordingLibrary, playbackKey: SigningKey,
        edges: LiveEdges? = nil, metrics: [any MetricsSource],
        renewedBody: @escaping RenewedBody, admin: (any AdminControl)? = nil,
        logger: Logger,
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) throws(HTTPServiceError) {
        self.configuration = configuration
        self.authority = authority
        self.control = control
        self.gateway = gateway
        self.calls = calls
        self.signalling = signalling
        self.templates = templates
        self.recordings = recordings
        self.playbackKey = playbackKey
        origin = Origin(
            root: configuration.outputDirectory, edges: edges,
            recent: edges?.recent ?? RecentFiles(clock: { MonotonicClock.now }), census: census,
            key: playbackKey, clock: clock)
        self.metrics = metrics
        self.renewedBody = renewedBody
        self.admin = admin.map { AdminOffice(control: $0, endpoints: configuration.endpoints) }
        self.logger = logger
        self.clock = clock
        identity = try ServerIdentity(configuration).map { HeldIdentity($0) }
        do {
            languages = try Languages(WebFiles(directory: configuration.pagesDirectory))
        } catch {
            throw .pages(error.description)
        }
    }

    /// The application, to be run alone or in a service group.
    ///
    /// - Parameter onRunning: called with the bound port once connections are accepted.
    public func application(
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(HTTPServiceError) -> some ApplicationProtocol {
        Application(
            responder: responder(),
            server: try server(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: Self.serverName,
                availableConnectionsDelegate: ConnectionMaximum(
                    configuration.connectionsMaximum, logger: logger)),
            onServerRunning: { channel in
                // One at a time, since otherwise ConnectionMaximum would be asked only after every
                // fourth.
                try? await channel.setOption(.maxMessagesPerRead, value: 1).get()
                await onRunning(channel.localAddress?.port ?? 0)
            },
            logger: logger)
    }

    /// Uses another certificate in all handshakes to come. Without effect if the server has started
    /// without TLS.
    public func use(_ certificate: CheckedCertificate) {
        identity?.replace(with: certificate.identity)
    }

    /// The metrics without a token, at an address of their own.
    public func metricsApplication(at address: MetricsAddress) -> some ApplicationProtocol {
        let router = Router(context: CallerContext.self, options: .autoGenerateHeadEndpoints)
        let known = KnownMethods()
        router.add(middleware: ErrorMiddleware(known: known))
        metricsRoute.addOpen(to: router)
        known.learn(router)
        return Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [], idleTimeout: MetricsAddress.idleTimeout)),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port), serverName: Self.serverName,
                availableConnectionsDelegate: ConnectionMaximum(
                    MetricsAddress.connectionsMaximum, logger: logger)),
            logger: logger)
    }

    private var metricsRoute: MetricsRoute { MetricsRoute(sources: metrics + [census, times]) }

    private var endpoints: Endpoints { configuration.endpoints }

    private var tokens: RoomTokenGuard {
        RoomTokenGuard(authority: authority, gateway: gateway, clock: clock)
    }

    private var entry: EndpointEntry {
        EndpointEntry(
            tokens: tokens, endpoints: endpoints, hosts: configuration.ownHosts, assets: assets)
    }

    private var assets: AssetOrigin {
        AssetOrigin(library: recordings, streams: configuration.outputDirectory, clock: clock)
    }

    /// Every ten seconds, for the charts of the operator's page.
    public func noteFigures() async {
        guard let admin else { return }
        let peers = await gateway.rooms().reduce(0) { $0 + $1.peerCount }
        await admin.note(viewers: census.total, peers: peers, at: clock())
    }

    /// The routes, and the way of the operator's page to them.
    func responder() -> some HTTPResponder<CallerContext> {
        AdminPassage(
            inner: router().buildResponder(), door: admin?.door, authority: authority, clock: clock)
    }

    private var streamFiles: StreamFiles { StreamFiles(root: configuration.outputDirectory) }

    func router() -> Router<CallerContext> {
        let router = Router(
            context: CallerContext.self, options: .autoGenerateHeadEndpoints)
        let known = KnownMethods()
        router.add(middleware: RequestTimesMiddleware(times: times))
        router.add(middleware: RequestIDMiddleware())
        router.add(middleware: ConnectionMiddleware())
        router.add(middleware: ErrorMiddleware(known: known, languages: languages))
        router.add(middleware: OwnHostsMiddleware(hosts: configuration.ownHosts))
        router.add(middleware: IdempotencyMiddleware(authority: authority, clock: clock))
        for endpoint in signalling { endpoint.add(to: router, with: entry) }
        let networkTest = NetworkTest()
        router.get("\(NetworkTest.path)") { request, context in
            networkTest.respond(
                to: NetworkTest.caller(of: request.headers, from: context.remoteAddress))
        }
        LiveStreamRoutes(
            control: control, recordings: recordings, authority: authority, endpoints: endpoints,
            files: streamFiles, frameRate: configuration.frameRate, census: census, clock: clock
        ).add(to: router)
        RoomRoutes(
            catalogue: recordings.catalogue, gateway: gateway, templates: templates,
            authority: authority, webhooks: configuration.webhooks, clock: clock
        ).add(to: router)
        TemplateRoutes(
            catalogue: recordings.catalogue, control: templates, authority: authority,
            clock: clock
        ).add(to: router)
        if let calls {
            GroupCallRoutes(
                control: calls, catalogue: recordings.catalogue, templates: templates,
                authority: authority, clock: clock
            ).add(to: router)
            CallFileRoutes(
                library: recordings, authority: authority, endpoints: endpoints, clock: clock
            ).add(to: router)
        }
        ActiveRoomRoutes(control: gateway, authority: authority, clock: clock).add(to: router)
        RoomCodeRoutes(
            catalogue: recordings.catalogue, gateway: gateway, authority: authority, clock: clock
        ).add(to: router)
        InvitationRoutes(
            catalogue: recordings.catalogue, gateway: gateway, authority: authority, clock: clock
        ).add(to: router)
        TokenRoute(
            catalogue: recordings.catalogue, gateway: gateway, authority: authority, clock: clock
        ).add(to: router)
        ReadyRoute(control: control, checkCatalogue: recordings.catalogue.checkWritable)
            .add(to: router)
        PageAPI(
            control: control, gateway: gateway, authority: authority, endpoints: endpoints,
            handsOutTokens: configuration.handsOutTokens, listsRooms: configuration.listsRooms,
            hlsScriptURL: configuration.hlsScriptURL, imageSources: configuration.imageSources,
            clock: clock
        ).add(to: router)
        let peers = RoomPeerGuard(tokens: tokens, gateway: gateway)
        RoomRecordingAPI(control: control, peers: peers).add(to: router)
        RoomStreamAPI(
            control: control, peers: peers,
            endpoints: endpoints, files: streamFiles, census: census, clock: clock
        ).add(to: router)
        PictureRoutes(
            shelf: PictureShelf(root: configuration.outputDirectory), control: control,
            peers: peers, authority: authority, clock: clock
        ).add(to: router)
        let keeper = RecordingKeeper(
            control: control, library: recordings, streams: configuration.outputDirectory,
            clock: clock)
        let recordingPage = RecordingPageAPI(
            keeper: keeper, authority: authority, endpoints: endpoints,
            isOpen: configuration.showsRecordings, clock: clock)
        recordingPage.add(to: router)
        RecordingRoutes(
            control: control, keeper: keeper, authority: authority, endpoints: endpoints,
            clock: clock
        ).add(to: router)
        RecordingAssetRoutes(
            library: recordings, authority: authority, endpoints: endpoints, clock: clock
        ).add(to: router)
        WebhookRoutes(
            catalogue: recordings.catalogue, authority: authority, renewedBody: renewedBody,
            clock: clock
        ).add(to: router)
        SessionRoutes(
            catalogue: recordings.catalogue, authority: authority, clock: clock
        ).add(to: router)
        EventRoutes(
            catalogue: recordings.catalogue, authority: authority,
            sendsWebhooks: configuration.webhooks != nil, clock: clock
        ).add(to: router)
        ExternalStreamRoutes(
            control: control, authority: authority, endpoints: endpoints, clock: clock
        ).add(to: router)
        metricsRoute.add(to: router, by: authority, clock: clock)
        if let admin {
            AdminRoutes(
                control: admin.control, door: admin.door, history: admin.history, gateway: gateway,
                streams: control, census: census
            ).add(to: router)
        }
        addOrigin(to: router)
        PageRoutes(
            languages: languages,
            heads: PageHeads(
                control: control, library: recordings, endpoints: endpoints,
                languages: languages, clock: clock),
            pictures: LivePictures(control: control, files: streamFiles, clock: clock),
            recordings: recordingPage, gateway: gateway, hlsScriptURL: configuration.hlsScriptURL,
            publicURL: endpoints.publicBaseURL, mediaURLs: configuration.mediaURLs,
            imageSources: configuration.imageSources, embedders: configuration.embedders
        ).add(to: router)
        known.learn(router)
        return router
    }

    static let serverName = "roomcast"

    private func addOrigin(to router: Router<CallerContext>) {
        let origin = origin
        router.get("/hls/**") { request, context in
            // The raw path: the router treats double slashes and encoding differently.
            let path = request.head.path ?? ""
            let encoded = path.prefix { $0 != "?" && $0 != "#" }.dropFirst("/hls/".count)
            return try await origin.respond(
                to: request, encodedPath: encoded, on: context.channel)
        }
        let assets = assets
        router.get("/recordings/**") { request, _ in
            let path = request.head.path ?? ""
            let encoded = path.prefix { $0 != "?" && $0 != "#" }.dropFirst("/recordings/".count)
            return try await assets.respond(to: request, encodedPath: encoded)
        }
        for path in ["/hls/**", "/recordings/**"] as [RouterPath] {
            router.on(path, method: .options) { _, _ in Origin.preflight() }
        }
    }

    private func server() throws(HTTPServiceError) -> HTTPServerBuilder {
        let (signalling, entry) = (signalling, entry)
        let isTLS = configuration.certificateFile != nil
        let limiter = ConnectionLimiter(
            maximum: configuration.connectionsPerAddressMaximum, logger: logger)
        let (origin, hosts) = (origin, configuration.ownHosts)
        let plain = HTTPServerBuilder { responder in
            WebSocketChannel(
                responder: responder, limiter: limiter, isTLS: isTLS,
                edge: { EdgeHandler(origin: origin, hosts: hosts, writer: $0) }
            ) { request, address in
                for endpoint in signalling {
                    if let session = await endpoint.session(
                        for: request, from: address, with: entry)
                    {
                        return session
                    }
                }
                return nil
            }
        }
        guard let identity else { return plain }
        do {
            return try .tls(plain, tlsConfiguration: identity.configuration)
        } catch {
            throw .certificate("the certificate cannot be used")
        }
    }
}
