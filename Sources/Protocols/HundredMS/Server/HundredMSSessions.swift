internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms

/// The peers of one room that use 100ms' protocol, on the server (`docs/PROTOCOL.md`).
///
/// Other modules use it through ``HundredMSEntrance``.
final class HundredMSSessions: RoomSessions {
    struct Connection {
        let id: ConnectionID
        let peer: PeerID
        let claims: SignallingClaims
        let socket: any SignallingSocket
        let outbox: Outbox
        var lastHeard: Instant
        var allowance: FrameAllowance
        /// Answers to invitations, which the client may send before it has joined.
        var invitationActs: TokenBucket
        /// The client has sent something on this connection.
        var hasSpoken = false
        /// The client joined on this connection, not on an earlier one.
        var hasJoined = false
        /// The peer has ended the room and has to leave.
        var parting: Parting?
        /// The size of the room in the last notification on this connection.
        var toldRoom: RoomInfoNotification?
        var toldSession: SessionInfoNotification?
    }

    /// How long a client that has ended the room may stay, and the reason with which its socket is
    /// then closed.
    struct Parting {
        let deadline: Instant
        let reason: String
    }

    /// A connection that has been told to close and may still be reading.
    private struct Farewell {
        let connection: ConnectionID
        let peer: PeerID
        /// A client that reads to the end knows why it has lost its place.
        let saysWhy: Bool
        let socket: any SignallingSocket
        let outbox: Outbox
        let deadline: Instant
    }

    let limits: SignallingLimits
    var connections: [ConnectionID: Connection] = [:]
    /// The only connection of each peer; a newer one closes it before it takes its place.
    var current: [PeerID: ConnectionID] = [:]
    /// The peers that joined by this protocol and are in the room, with or without a socket.
    var members: Set<PeerID> = []
    var iterators: [PeerID: PeerIterators] = [:]
    var pollPages = PollPages()
    var unheardDismissals = UnheardDismissals()
    var arePreviewsStale = false
    private var farewells: [Farewell] = []
    private var connectionCount: UInt64 = 0
    private var nextPreviews = Instant.zero

    init(limits: SignallingLimits) { self.limits = limits }

    // MARK: - RoomSessions

    func forget(_ peer: PeerID) {
        members.remove(peer)
        iterators[peer] = nil
    }

    func isConnected(_ peer: PeerID) -> Bool { current[peer] != nil }

    func hasUnheardDismissal(of peer: PeerID, owner: TokenOwner?) -> Bool {
        guard let owner else { return unheardDismissals.contains(peer) }
        return unheardDismissals.dismissal(of: peer, owner: owner) != nil
    }

    var isEmpty: Bool { connections.isEmpty && unheardDismissals.isEmpty }

    func handleTimeout(at now: Instant, in host: isolated RoomHost) {
        unheardDismissals.handleTimeout(at: now)
        for connection in connections.values
        where now - connection.lastHeard >= silence(of: connection, in: host) {
            host.log(.info, "connection is silent", connection.peer)
            drop(
                connection, code: CloseCode.goingAway, reason: "nothing heard for too long",
                in: host)
        }
        for connection in connections.values {
            guard let parting = connection.parting, parting.deadline <= now else { continue }
            close(connection, code: CloseCode.normal, reason: parting.reason, in: host)
        }
        let overdue = farewells.filter { $0.deadline <= now }
        farewells.removeAll { $0.deadline <= now }
        for farewell in overdue {
            farewell.outbox.abandon()
            closeNow(farewell.socket, code: CloseCode.goingAway, reason: "closing took too long")
        }
    }

    func report(at now: Instant, in host: isolated RoomHost) {
        refreshPreviews(at: now, in: host)
        pushCounts(in: host)
    }

    func closeAll(reason: String, in host: isolated RoomHost) {
        for connection in connections.values {
            close(connection, code: CloseCode.normal, reason: reason, in: host)
        }
    }

    // MARK: - Connections

    /// See ``HundredMSEntrance/open(peer:claims:socket:)``.
    func open(
        peer: PeerID, claims: SignallingClaims, socket: any SignallingSocket,
        in host: isolated RoomHost
    ) async -> ConnectionID? {
        connectionCount += 1
        let connection = Connection(
            id: ConnectionID(rawValue: connectionCount), peer: peer, claims: claims,
            socket: socket,
            outbox: Outbox(frames: limits.outboxFrames, bytes: limits.outboxBytes),
            lastHeard: host.clock.now(),
            allowance: FrameAllowance(limits, host.room.limits, at: host.clock.now()),
            invitationActs: TokenBucket(
                rate: SignallingLimits.invitationActsPerSecond,
                burst: SignallingLimits.invitationActsBurst, at: host.clock.now()))
        connection.outbox.startWriting(to: socket)
        if host.room.peers[peer] == nil,
            let dismissal = unheardDismissals.dismissal(of: peer, owner: claims.owner)
        {
            host.log(.info, "peer returned that was put out", peer)
            unheardDismissals.forget(peer)
            push(
                .onPeerLeaveRequest, LeaveRequestNotification(dismissal), to: connection, in: host)
            farewell(connection, code: CloseCode.normal, reason: dismissal.reason, in: host)
            return nil
        }
        do {
            try admit(connection, in: host)
        } catch {
            host.log(.notice, "connection refused", peer, ["reason": "\(error.message)"])
            let payload = error.payload(for: claims.client)
            push(.onError, payload, to: connection, in: host)
            farewell(
                connection, code: CloseCode.policyViolation, reason: "refused: \(payload.code)",
                in: host)
            return nil
        }
        push(
            .onPolicyChange,
            PolicyPayload(
                host.room.policy, role: role(of: connection, in: host), for: claims.client),
            to: connection, in: host)
        if host.room.peers[peer]?.hasJoined ?? false {
            host.log(.info, "peer returned", peer)
            pushRoom(to: connection, in: host)
            host.offerAnew(to: peer)
        } else if host.room.policy.showsRoom(to: claims.role) {
            pushCounts(to: [connection], in: host)
            push(.roomState, roomState(in: host), to: connection, in: host)
        }
        await host.settle()
        return connection.id
    }

    /// See ``HundredMSEntrance/closed(_:)``.
    func closed(_ id: ConnectionID, in host: isolated RoomHost) async {
        if let index = farewells.firstIndex(where: { $0.connection == id }) {
            let farewell = farewells.remove(at: index)
            // Its client closed it, so it has read everything.
            if farewell.saysWhy, host.clock.now() < farewell.deadline {
                unheardDismissals.forget(farewell.peer)
            }
        }
        guard let connection = connections[id] else { return }
        forget(connection, in: host)
        connection.outbox.abandon()
        await host.settle()
    }

    private func admit(
        _ connection: Connection, in host: isolated RoomHost
    ) throws(SignallingError) {
        let (peer, claims) = (connection.peer, connection.claims)
        guard
            !claims.isExpired(at: host.clock.wall()) || host.isHere(peer, of: claims.owner)
        else { throw .tokenExpired }
        do throws(RoomError) {
            guard claims.room == host.room.id else { throw RoomError.otherRoom }
            try host.room.peers.checkArrival(peer, of: claims.owner, role: claims.role)
            if let old = current[peer].flatMap({ connections[$0] }) {
                guard old.claims.owner.isSame(as: claims.owner) else {
                    throw RoomError.peerIDTaken(peer)
                }
                replace(old, in: host)
            }
            // A joined peer's new connection is accepted even if visitors have taken all
            // connections.
            if host.room.peers[peer]?.hasJoined ?? false {
                try host.room.connectionReturned(peer, of: claims.owner, at: host.clock.now())
            } else if connections.count >= limits.connections {
                throw RoomError.tooManyConnections(maximum: limits.connections)
            }
        } catch {
            throw .room(error)
        }
        connections[connection.id] = connection
        current[peer] = connection.id
    }

    /// How long the connection may be silent. If the network is gone, media reports it first.
    private func silence(of connection: Connection, in host: isolated RoomHost) -> Duration {
        let isMediaBroken = host.room.peers[connection.peer]?.isMediaBroken ?? false
        return isMediaBroken ? limits.silenceWithoutMedia : limits.silence
    }

    /// A peer keeps the role it joined with, even if a later token of its user has another one.
    private func role(of connection: Connection, in host: isolated RoomHost) -> String {
        host.room.peers[connection.peer]?.role ?? connection.claims.role
    }

    /// The client has a new socket; nobody reads the old one.
    private func replace(_ old: Connection, in host: isolated RoomHost) {
        drop(old, code: CloseCode.normal, reason: "replaced by a newer connection", in: host)
    }

    /// Closes a connection at once and drops its unsent frames.
    func drop(
        _ connection: Connection, code: UInt16, reason: String, in host: isolated RoomHost
    ) {
        forget(connection, in: host)
        connection.outbox.abandon()
        closeNow(connection.socket, code: code, reason: reason)
    }

    /// Closes a connection after its queued frames.
    func close(
        _ connection: Connection, code: UInt16, reason: String, in host: isolated RoomHost
    ) {
        farewell(connection, code: code, reason: reason, in: host)
        forget(connection, in: host)
    }

    private func farewell(
        _ connection: Connection, code: UInt16, reason: String, in host: isolated RoomHost
    ) {
        connection.outbox.close(code: code, reason: reason)
        farewells.append(
            Farewell(
                connection: connection.id, peer: connection.peer,
                saysWhy: connection.parting == nil, socket: connection.socket,
                outbox: connection.outbox, deadline: host.clock.now() + limits.closing))
    }

    private func closeNow(_ socket: any SignallingSocket, code: UInt16, reason: String) {
        // Unstructured, because the writer may be waiting for this very socket.
        Task { await socket.close(code: code, reason: reason) }
    }

    private func forget(_ connection: Connection, in host: isolated RoomHost) {
        guard let connection = connections.removeValue(forKey: connection.id) else { return }
        current[connection.peer] = nil
        if host.room.peers[connection.peer]?.isReachable ?? false {
            host.log(.info, "connection lost", connection.peer)
        }
        host.room.connectionLost(
            connection.peer, at: host.clock.now(),
            heardUntil: connection.hasSpoken ? hearing(of: connection) : nil)
    }

    /// The time up to which the client may have received messages, excluding frames its socket has
    /// not accepted.
    private func hearing(of connection: Connection) -> Instant {
        let heard = connection.lastHeard + SignallingLimits.hearing
        guard let unwritten = connection.outbox.unwrittenSince else { return heard }
        return min(heard, unwritten - SignallingLimits.telling)
    }

    // MARK: - Previews

    private func refreshPreviews(at now: Instant, in host: isolated RoomHost) {
        guard arePreviewsStale, nextPreviews <= now else { return }
        arePreviewsStale = false
        nextPreviews = now + .seconds(host.room.policy.roomState?.interval ?? 0)
        let visitors = connections.values.filter {
            !(host.room.peers[$0.peer]?.hasJoined ?? false) && $0.parting == nil
                && host.room.policy.showsRoom(to: $0.claims.role)
        }
        guard !visitors.isEmpty else { return }
        pushCounts(to: visitors, in: host)
        push(.roomState, roomState(in: host), to: visitors, in: host)
    }
}
