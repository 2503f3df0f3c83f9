public import HTTPTypes
public import Hummingbird
import MediaKernel
import Tokens

/// Where clients of one signalling protocol come in: its routes, and the paths at which it takes
/// WebSockets.
public protocol SignallingEndpoint: Sendable {
    func add(to router: Router<CallerContext>, with entry: EndpointEntry)

    /// The session of a request that asks for a WebSocket of this protocol; nil for any other, which
    /// is then answered by a route.
    func session(
        for request: HTTPRequest, with entry: EndpointEntry
    ) async -> WebSocketSession?
}

extension SignallingEndpoint {
    public func session(
        for request: HTTPRequest, with entry: EndpointEntry
    ) async -> WebSocketSession? { nil }
}

/// What every protocol needs at the door: who comes, and under which names this server is known.
public struct EndpointEntry: Sendable {
    let tokens: RoomTokenGuard
    let endpoints: Endpoints
    let hosts: OwnHosts
}

/// `/init` and `/ws`: 100ms' clients.
public struct HundredMSEndpoint: SignallingEndpoint {
    private let door: any RoomDoor

    public init(door: any RoomDoor) { self.door = door }

    public func add(to router: Router<CallerContext>, with entry: EndpointEntry) {
        let initial = InitRoute(tokens: entry.tokens, door: door, endpoints: entry.endpoints)
        router.get("/init") { request, _ in await initial.respond(to: request) }
        router.on("/init", method: .options) { _, _ in CrossOrigin.preflight("GET") }
        let entrance = entrance(entry)
        router.get("/ws") { request, _ in try await entrance.refuse(request) }
    }

    public func session(
        for request: HTTPRequest, with entry: EndpointEntry
    ) async -> WebSocketSession? {
        await entrance(entry).decide(request)
    }

    private func entrance(_ entry: EndpointEntry) -> WebSocketEntrance {
        WebSocketEntrance(
            tokens: entry.tokens, door: door, endpoints: entry.endpoints, hosts: entry.hosts)
    }
}
