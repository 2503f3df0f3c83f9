import HTTPTypes
public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore

/// What Jibri's HTTP interface asks of a recorder.
public protocol RecorderControl: Sendable {
    /// A JSON document.
    func health() async -> [UInt8]

    /// In Prometheus' text format; nil if there are none.
    func metrics() async -> String?

    /// Called once the answer is given. Returns at once.
    func leave(_ leaving: RecorderLeaving)
}

/// How a recorder is to end.
public enum RecorderLeaving: Hashable, Sendable {
    /// When nothing is recorded any more.
    case whenIdle
    /// The same, to be started again with its new settings.
    case toRestart
    /// What is recorded is completed first.
    case now
}

/// Jibri's two HTTP interfaces, each on an address of its own. Any program that can connect may use
/// them, but no web page: a browser would let it connect to the browser's own machine.
public struct RecorderAPI: Sendable {
    static let externalPath = "/jibri/api/v1.0"
    static let internalPath = "/jibri/api/internal/v1.0"

    /// What a request's body may have, which nobody reads.
    private static let bodyBytesMaximum = 64 * 1024

    /// Of each interface: a few monitors and scripts use it.
    static let connectionsMaximum = 64

    private let control: any RecorderControl
    private let patience: HTTPConnectionGuard.Limits
    private let logger: Logger

    public init(control: any RecorderControl, logger: Logger) {
        self.init(control: control, patience: .init(), logger: logger)
    }

    init(control: any RecorderControl, patience: HTTPConnectionGuard.Limits, logger: Logger) {
        self.control = control
        self.patience = patience
        self.logger = logger
    }

    /// For load balancers and autoscalers.
    public func external(host: String, port: Int) -> some ApplicationProtocol {
        application(externalRouter(host: host), host, port)
    }

    /// For the operator of the machine.
    public func `internal`(host: String, port: Int) -> some ApplicationProtocol {
        application(internalRouter(host: host), host, port)
    }

    func externalRouter(host: String) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: NoPagesMiddleware(hosts: OwnHosts(boundTo: host)))
        let control = control
        router.get("\(Self.externalPath)/health") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: await control.health())))
        }
        router.get("/metrics") { _, _ in
            guard let text = await control.metrics() else { throw HTTPError(.notFound) }
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
        return router
    }

    func internalRouter(host: String) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: NoPagesMiddleware(hosts: OwnHosts(boundTo: host)))
        let orders: [(String, RecorderLeaving)] = [
            ("gracefulShutdown", .whenIdle), ("notifyConfigChanged", .toRestart),
            ("shutdown", .now),
        ]
        for (name, leaving) in orders {
            let control = control
            router.post("\(Self.internalPath)/\(name)") { request, _ in
                _ = try await request.body.collect(upTo: Self.bodyBytesMaximum)
                return Response(
                    status: .ok,
                    // The caller has its answer before anything ends.
                    body: ResponseBody { writer in
                        try await writer.finish(nil)
                        control.leave(leaving)
                    })
            }
        }
        return router
    }

    private func application(
        _ router: Router<BasicRequestContext>, _ host: String, _ port: Int
    ) -> some ApplicationProtocol {
        let patience = patience
        return Application(
            router: router,
            server: HTTPServerBuilder { PlainChannel(responder: $0, patience: patience) },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: HTTPService.serverName,
                availableConnectionsDelegate: ConnectionMaximum(
                    Self.connectionsMaximum, logger: logger)),
            // As at the main server's address.
            onServerRunning: { try? await $0.setOption(.maxMessagesPerRead, value: 1).get() },
            logger: logger)
    }
}
