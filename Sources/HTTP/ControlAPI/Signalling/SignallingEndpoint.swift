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
