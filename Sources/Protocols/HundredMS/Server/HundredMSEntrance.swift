public import MediaKernel
public import RoomHost

/// 100ms' protocol in one room, as the server uses it.
///
/// The caller opens a connection for every WebSocket, hands in its text frames one after another
/// (awaiting each), and says when it is closed.
public struct HundredMSEntrance: Sendable {
    public let host: RoomHost

    /// - Parameter host: one that lets clients of ``HundredMS`` in.
    public init(_ host: RoomHost) { self.host = host }

    /// A WebSocket with a verified token is open. Tells it its role and, when the peer is in the
    /// room already, everything else: it is the same client on a new socket.
    ///
    /// - Returns: `nil` when it was refused, or was put out while it was away: it has been told why
    ///   and is being closed.
    public func open(
        peer: PeerID, claims: SignallingClaims, socket: any SignallingSocket
    ) async -> ConnectionID? {
        await Self.open(peer: peer, claims: claims, socket: socket, in: host)
    }

    /// A text frame came. It is dealt with when this returns. Whatever is in it, the connection
    /// stays; it is closed only for a frame that is too long, or for more than its `FrameAllowance`.
    public func received(_ text: String, on id: ConnectionID) async {
        await Self.received(text, on: id, in: host)
    }

    /// The WebSocket is gone. A peer that joined keeps its place for a while.
    public func closed(_ id: ConnectionID) async { await Self.closed(id, in: host) }

    private static func open(
        peer: PeerID, claims: SignallingClaims, socket: any SignallingSocket,
        in host: isolated RoomHost
    ) async -> ConnectionID? {
        await host.sessions(of: HundredMSSessions.self)?
            .open(peer: peer, claims: claims, socket: socket, in: host)
    }

    private static func received(
        _ text: String, on id: ConnectionID, in host: isolated RoomHost
    ) async {
        await host.sessions(of: HundredMSSessions.self)?.received(text, on: id, in: host)
    }

    private static func closed(_ id: ConnectionID, in host: isolated RoomHost) async {
        await host.sessions(of: HundredMSSessions.self)?.closed(id, in: host)
    }
}
