public import MediaKernel
public import RoomHost

/// 100ms' protocol in one room, for the HTTP server.
///
/// The caller opens a connection for every WebSocket, passes its text frames one after another
/// (awaiting each), and reports its end.
public struct HundredMSEntrance: Sendable {
    public let host: RoomHost

    /// - Parameter host: a room that accepts clients of ``HundredMS``.
    public init(_ host: RoomHost) { self.host = host }

    /// A WebSocket with a verified token is open. It receives its role and, if its peer is already
    /// in the room, the whole state: it is the same client on a new socket.
    ///
    /// - Returns: `nil` if the peer is refused, or was removed while it was away: it has been sent
    ///   the reason and is being closed.
    public func open(
        peer: PeerID, claims: SignallingClaims, socket: any SignallingSocket
    ) async -> ConnectionID? {
        await inside { await $0.open(peer: peer, claims: claims, socket: socket, in: $1) } ?? nil
    }

    /// Handles one text frame before it returns. No content closes the connection; only a frame
    /// that is too long or exceeds its `FrameAllowance` does.
    public func received(_ text: String, on id: ConnectionID) async {
        await inside { await $0.received(text, on: id, in: $1) }
    }

    /// The WebSocket has closed. A peer that has joined keeps its place for a while.
    public func closed(_ id: ConnectionID) async { await inside { await $0.closed(id, in: $1) } }

    @discardableResult
    private func inside<Result: Sendable>(
        _ work: @Sendable (HundredMSSessions, isolated RoomHost) async -> Result
    ) async -> Result? {
        await host.inside(HundredMSSessions.self, work)
    }
}
