public import HTTPTypes
public import Hummingbird
import MediaKernel
public import NIOCore
import Tokens

/// The entrance for clients of one signalling protocol: its routes and its WebSocket paths.
public protocol SignallingEndpoint: Sendable {
    func add(to router: Router<CallerContext>, with entry: EndpointEntry)

    /// The session of a request for a WebSocket of this protocol; nil for any other, which a route
    /// then answers.
    ///
    /// - Parameter address: of the connection; nil if it is unknown.
    func session(
        for request: HTTPRequest, from address: SocketAddress?, with entry: EndpointEntry
    ) async -> WebSocketSession?
}

extension SignallingEndpoint {
    public func session(
        for request: HTTPRequest, from address: SocketAddress?, with entry: EndpointEntry
    ) async -> WebSocketSession? { nil }
}

/// The tools that every protocol needs to admit clients: their tokens, and this server's names.
public struct EndpointEntry: Sendable {
    let tokens: RoomTokenGuard
    let endpoints: Endpoints
    let hosts: OwnHosts
    let assets: AssetOrigin
}
