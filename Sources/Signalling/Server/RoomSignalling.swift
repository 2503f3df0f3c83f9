public import Logging
public import MediaKernel
public import Rooms
internal import Synchronization

/// The 100ms protocol of one room, the server's end (`docs/PROTOCOL.md`): sockets on one side, the
/// media plane on the other, and a ``Rooms/Room`` that decides in between.
///
/// The caller opens a connection for every WebSocket, hands in its text frames one after another
/// (awaiting each), says when it is closed, calls ``tick()`` about once a second, and keeps
/// ``run()`` running.
///
/// After every `await` on the media plane the room may be another one: whoever resumes asks again.
public actor RoomSignalling {
    struct Connection {
        let id: ConnectionID
        let peer: PeerID
        let claims: SignallingClaims
        let socket: any SignallingSocket
        let outbox: Outbox
        var lastHeard: Instant
        var allowance: FrameAllowance
        /// Its client has said something by it.
        var hasSpoken = false
        /// Its client has joined by it, and not by an earlier one.
        var hasJoined = false
        /// Its peer has ended the room and is to leave.
        var parting: Parting?
        /// What it was told last of the room's size.
        var toldRoom: RoomInfoNotification?
        var toldSession: SessionInfoNotification?
    }

    /// How long a client that has ended the room may stay, and what its socket is then closed with.
    struct Parting {
        let deadline: Instant
        let reason: String
    }

    /// What the media plane has of a peer. It is asked for one thing at a time: a peer that comes
    /// back while its old place is taken down has to wait.
    enum Seat: Hashable {
        case opening(ConnectionID)
        case open
        /// The peer has offered no connection yet: it neither publishes nor subscribes.
        case withoutMedia(asksForVideos: Bool)
        case closing
    }

    /// A connection that has been told to close and may still be reading.
    private struct Farewell {
        let connection: ConnectionID
        let peer: PeerID
        /// A client that reads to the end knows why its place is over.
        let saysWhy: Bool
        let socket: any SignallingSocket
        let outbox: Outbox
        let deadline: Instant
    }

    let media: any RoomMedia
    let streaming: any LiveStreaming
    let clock: RoomClock
    let limits: SignallingLimits
    let journal: @Sendable (RoomNote, UnixTime) -> Void
    let logger: Logger

    private let known: Mutex<RoomOutline>

    var room: Room
    var connections: [ConnectionID: Connection] = [:]
    /// The one connection that speaks for a peer; a newer one ends it before it takes its place.
    var current: [PeerID: ConnectionID] = [:]
    var seats: [PeerID: Seat] = [:]
    /// What the media plane said to a peer whose join is not answered yet.
    var held: [PeerID: [RoomMediaEvent]] = [:]
    var walks: [PeerID: PeerWalks] = [:]
    var orders = MediaOrders()
    var subscribeRestarts = SubscribeRestarts()
    /// For which of a peer's sockets its subscribe connection is offered; 0 is left out.
    var offeredSockets: [PeerID: Int] = [:]
    var pollPages = PollPages()
    var unheardDismissals = UnheardDismissals()
    private var farewells: [Farewell] = []
    private var connectionCount: UInt64 = 0
    private var arePreviewsStale = false
    private var nextPreviews = Instant.zero

    /// - Parameter journal: hears what happens in the room's sessions, in order; must not wait.
    public init(
        room: Room, media: any RoomMedia, streaming: any LiveStreaming,
        clock: RoomClock = .system, limits: SignallingLimits = SignallingLimits(),
        journal: @escaping @Sendable (RoomNote, UnixTime) -> Void = { _, _ in },
        logger: Logger = Logger(label: "roomcast.room")
    ) {
        self.room = room
        known = Mutex(RoomOutline(room))
        self.media = media
        self.streaming = streaming
        self.clock = clock
        self.limits = limits
        self.journal = journal
        var logger = logger
        logger[metadataKey: "room"] = "\(room.id)"
        self.logger = logger
    }

    // MARK: - The room, from outside

    /// Hands on what the media plane says, until it is shut down.
    public func run() async {
        for await event in media.events { await received(event) }
    }

    /// Lets go of who did not come back in time and of who is silent, and tells what is told no
    /// more often than this is called: previews and counts. About once a second.
    public func tick() async {
        let now = clock.now()
        room.handleTimeout(at: now)
        unheardDismissals.handleTimeout(at: now)
        for connection in connections.values
        where now - connection.lastHeard >= silence(of: connection) {
            log(.info, "connection is silent", connection.peer)
            drop(connection, code: CloseCode.goingAway, reason: "nothing heard for too long")
        }
        for connection in connections.values {
            guard let parting = connection.parting, parting.deadline <= now else { continue }
            close(connection, code: CloseCode.normal, reason: parting.reason)
        }
        for peer in subscribeRestarts.due(at: now) where current[peer] != nil {
            log(.info, "subscribe connection is restarted", peer)
            orders.add(.restartSubscribe(peer))
        }
        let overdue = farewells.filter { $0.deadline <= now }
        farewells.removeAll { $0.deadline <= now }
        for farewell in overdue {
            farewell.outbox.abandon()
            closeNow(farewell.socket, code: CloseCode.goingAway, reason: "closing took too long")
        }
        await settle()
        noteOutline()
        refreshPreviews(at: now)
        pushCounts()
    }

    /// The room's streams changed. Every peer is told; those who come later are told on arrival.
    public func hlsChanged(_ state: HLSState) async {
        room.hlsChanged(state)
        await settle()
    }

    /// The room's recording without a live stream changed. Told like the streams' changes.
    public func recordingChanged(_ recording: RoomRecording) async {
        room.recordingChanged(recording)
        await settle()
    }

    /// Does not wait for the room.
    public nonisolated var outline: RoomOutline { known.withLock { $0 } }

    /// Something happened in the room.
    func noteOutline() {
        let outline = RoomOutline(room)
        known.withLock { $0 = outline }
    }

    public func snapshot() -> RoomSnapshot {
        RoomSnapshot(
            id: room.id, name: room.name, session: room.session, peerCount: room.peerCount,
            peers: room.visiblePeers, hls: room.hls)
    }

    /// Nobody is here, hidden peers and those who only look in included, nor to be told why not.
    public var isEmpty: Bool {
        room.isEmpty && connections.isEmpty && unheardDismissals.isEmpty
    }

    /// Ends the room for everybody: each is told, each connection is closed.
    public func endAll(reason: String) async {
        room.ended(lock: false, reason: reason, because: .serverStopped)
        await settle()
        for connection in connections.values {
            close(connection, code: CloseCode.normal, reason: reason)
        }
    }

    // MARK: - Connections

    /// A WebSocket with a verified token is open. Tells it its role and, when the peer is in the
    /// room already, everything else: it is the same client on a new socket.
    ///
    /// - Returns: `nil` when it was refused, or was put out while it was away: it has been told why
    ///   and is being closed.
    public func open(
        peer: PeerID, claims: SignallingClaims, socket: any SignallingSocket
    ) async -> ConnectionID? {
        connectionCount += 1
        let connection = Connection(
            id: ConnectionID(rawValue: connectionCount), peer: peer, claims: claims,
            socket: socket,
            outbox: Outbox(frames: limits.outboxFrames, bytes: limits.outboxBytes),
            lastHeard: clock.now(),
            allowance: FrameAllowance(limits, room.limits, at: clock.now()))
        startWriter(of: connection)
        if room.peer(peer) == nil,
            let dismissal = unheardDismissals.dismissal(of: peer, owner: claims.owner)
        {
            log(.info, "peer returned that was put out", peer)
            unheardDismissals.forget(peer)
            push(.onPeerLeaveRequest, LeaveRequestNotification(dismissal), to: connection)
            farewell(connection, code: CloseCode.normal, reason: dismissal.reason)
            return nil
        }
        do {
            try admit(connection)
        } catch {
            log(.notice, "connection refused", peer, ["reason": "\(error.message)"])
            let payload = error.payload(for: claims.client)
            push(.onError, payload, to: connection)
            farewell(
                connection, code: CloseCode.policyViolation, reason: "refused: \(payload.code)")
            return nil
        }
        push(
            .onPolicyChange,
            PolicyPayload(room.policy, role: role(of: connection), for: claims.client),
            to: connection)
        if room.peer(peer)?.hasJoined ?? false {
            log(.info, "peer returned", peer)
            pushRoom(to: connection)
            if seats[peer] == .open {
                offeredSockets[peer, default: 0] += 1
                orders.add(.restartSubscribe(peer))
                subscribeRestarts.restarted(peer, at: clock.now())
            }
        } else if room.policy.showsRoom(to: claims.role) {
            pushCounts(to: [connection])
            push(.roomState, roomState(), to: connection)
        }
        await settle()
        return connection.id
    }

    /// The WebSocket is gone. A peer that joined keeps its place for a while.
    public func closed(_ id: ConnectionID) async {
        if let index = farewells.firstIndex(where: { $0.connection == id }) {
            let farewell = farewells.remove(at: index)
            // Ended by its client, then, which has read to the end.
            if farewell.saysWhy, clock.now() < farewell.deadline {
                unheardDismissals.forget(farewell.peer)
            }
        }
        guard let connection = connections[id] else { return }
        forget(connection)
        connection.outbox.abandon()
        await settle()
    }

    private func admit(_ connection: Connection) throws(SignallingError) {
        let (peer, claims) = (connection.peer, connection.claims)
        guard !claims.isExpired(at: clock.wall()) || isHere(peer, of: claims.owner) else {
            throw .tokenExpired
        }
        do throws(RoomError) {
            guard claims.room == room.id else { throw RoomError.otherRoom }
            try room.checkArrival(peer, of: claims.owner, role: claims.role)
            if let old = current[peer].flatMap({ connections[$0] }) {
                guard old.claims.owner.isSame(as: claims.owner) else {
                    throw RoomError.peerIDTaken(peer)
                }
                replace(old)
            }
            // A peer's place has a connection, also where visitors have taken all that there are.
            if room.peer(peer)?.hasJoined ?? false {
                try room.connectionReturned(peer, of: claims.owner, at: clock.now())
            } else if connections.count >= limits.connections {
                throw RoomError.tooManyConnections(maximum: limits.connections)
            }
        } catch {
            throw .room(error)
        }
        connections[connection.id] = connection
        current[peer] = connection.id
    }

    /// How long the connection may be silent. Where the network is gone, media says so first.
    private func silence(of connection: Connection) -> Duration {
        let isMediaBroken = room.peer(connection.peer)?.isMediaBroken ?? false
        return isMediaBroken ? limits.silenceWithoutMedia : limits.silence
    }

    /// A peer keeps the role it joined with, whatever a later token of its user says.
    private func role(of connection: Connection) -> String {
        room.peer(connection.peer)?.role ?? connection.claims.role
    }

    /// The client has a new socket; nobody reads the old one.
    private func replace(_ old: Connection) {
        drop(old, code: CloseCode.normal, reason: "replaced by a newer connection")
    }

    private func startWriter(of connection: Connection) {
        let (outbox, socket) = (connection.outbox, connection.socket)
        // Unstructured because a slow reader must hold nothing up; it ends with the outbox.
        Task {
            while let item = await outbox.next() {
                switch item {
                case .frame(let text):
                    // What is not written stays where it is, to be told on the peer's next socket.
                    guard await socket.send(text) else { return }
                case .close(let code, let reason): await socket.close(code: code, reason: reason)
                }
            }
        }
    }

    /// Closes a connection at once; what it was not told yet it will never be.
    func drop(_ connection: Connection, code: UInt16, reason: String) {
        forget(connection)
        connection.outbox.abandon()
        closeNow(connection.socket, code: code, reason: reason)
    }

    /// Closes a connection after what it was told.
    func close(_ connection: Connection, code: UInt16, reason: String) {
        farewell(connection, code: code, reason: reason)
        forget(connection)
    }

    private func farewell(_ connection: Connection, code: UInt16, reason: String) {
        connection.outbox.close(code: code, reason: reason)
        farewells.append(
            Farewell(
                connection: connection.id, peer: connection.peer,
                saysWhy: connection.parting == nil, socket: connection.socket,
                outbox: connection.outbox, deadline: clock.now() + limits.closing))
    }

    private func closeNow(_ socket: any SignallingSocket, code: UInt16, reason: String) {
        // Unstructured because the writer may be stuck in this very socket.
        Task { await socket.close(code: code, reason: reason) }
    }

    private func forget(_ connection: Connection) {
        guard let connection = connections.removeValue(forKey: connection.id) else { return }
        current[connection.peer] = nil
        if room.peer(connection.peer)?.isReachable ?? false {
            log(.info, "connection lost", connection.peer)
        }
        room.connectionLost(
            connection.peer, at: clock.now(),
            heardUntil: connection.hasSpoken ? hearing(of: connection) : nil)
    }

    /// Until when its client may have heard what was said: nothing of what its socket has not taken.
    private func hearing(of connection: Connection) -> Instant {
        let heard = connection.lastHeard + SignallingLimits.hearing
        guard let unwritten = connection.outbox.unwrittenSince else { return heard }
        return min(heard, unwritten - SignallingLimits.telling)
    }

    // MARK: - Previews

    func previewsWentStale() { arePreviewsStale = true }

    private func refreshPreviews(at now: Instant) {
        guard arePreviewsStale, nextPreviews <= now else { return }
        arePreviewsStale = false
        nextPreviews = now + .seconds(room.policy.roomState?.interval ?? 0)
        let visitors = connections.values.filter {
            !(room.peer($0.peer)?.hasJoined ?? false) && $0.parting == nil
                && room.policy.showsRoom(to: $0.claims.role)
        }
        guard !visitors.isEmpty else { return }
        pushCounts(to: visitors)
        push(.roomState, roomState(), to: visitors)
    }

    func log(
        _ level: Logger.Level, _ message: Logger.Message, _ peer: PeerID,
        _ metadata: Logger.Metadata = [:]
    ) {
        logger.log(
            level: level, message,
            metadata: metadata.merging(["peer": "\(peer)"]) { given, _ in given })
    }
}
