public import HTTPTypes
public import Hummingbird
public import NIOCore

/// `/init` and `/ws`: 100ms' clients.
public struct HundredMSEndpoint: SignallingEndpoint {
    private let gateway: any SignallingGateway

    public init(gateway: any SignallingGateway) { self.gateway = gateway }

    public func add(to router: Router<CallerContext>, with entry: EndpointEntry) {
        let initial = InitRoute(tokens: entry.tokens, gateway: gateway, endpoints: entry.endpoints)
        router.get("/init") { request, _ in await initial.respond(to: request) }
        router.on("/init", method: .options) { _, _ in CrossOrigin.preflight("GET") }
        let entrance = entrance(entry)
        router.get("/ws") { request, _ in try await entrance.refuse(request) }
    }

    public func session(
        for request: HTTPRequest, from address: SocketAddress?, with entry: EndpointEntry
    ) async -> WebSocketSession? {
        await entrance(entry).decide(request)
    }

    private func entrance(_ entry: EndpointEntry) -> WebSocketUpgrade {
        WebSocketUpgrade(
            tokens: entry.tokens, gateway: gateway, endpoints: entry.endpoints, hosts: entry.hosts)
    }
}
