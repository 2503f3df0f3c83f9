public import ClientConnections
public import NIOCore

/// A WebSocket to a room's server while `session` runs.
public enum RoomSocket {
    /// As ``WebSocketClient/run(url:bytesMaximum:group:session:received:)``, but throws
    /// `.unreachable` if the server, or a proxy in front of it, cannot accept the socket now, and
    /// `.protocolViolation` if it refuses it.
    public static func run(
        url: WebSocketURL, bytesMaximum: Int, group: any EventLoopGroup,
        session: @escaping @Sendable (WebSocketClient.Writer) async throws -> Void,
        received: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        do {
            try await WebSocketClient.run(
                url: url, bytesMaximum: bytesMaximum, group: group, session: session,
                received: received)
        } catch let refusal as WebSocketRefusal {
            throw Self.end(refusal)
        }
    }

    static func end(_ refusal: WebSocketRefusal) -> RoomEnd {
        if case .status(let code, _) = refusal, RoomEnd.mayPass(status: code) {
            return .unreachable("the WebSocket was answered with \(refusal)")
        }
        return .protocolViolation("the server refused the WebSocket with \(refusal)")
    }
}
