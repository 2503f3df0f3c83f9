import ClientConnections
public import Clocks
public import Logging
public import MediaClient
public import MediaKernel
public import NIOCore
public import RemoteRoom
import SecureTransport

/// A room that a program joins by 100ms' protocol: it receives what its role permits and sends its
/// local tracks.
///
/// After signalling is lost, the client reconnects for up to a minute with the same peer id, as the
/// protocol requires; media continues meanwhile. If the server no longer knows the peer, for
/// instance after a restart, the client joins again with new media connections.
public actor HundredMSClient: PublishingRoom {
    public struct Configuration: Sendable {
        /// Origin of the server: `http://127.0.0.1:8080`.
        public var endpoint: String
        /// A room token.
        public var token: String
        public var peer: PeerID
        public var guest: RoomGuest

        public init(endpoint: String, token: String, peer: PeerID, guest: RoomGuest) {
            self.endpoint = endpoint
            self.token = token
            self.peer = peer
            self.guest = guest
        }
    }

    /// How long to try to reconnect (docs/PROTOCOL.md sect. 9).
    public static let reconnectWindow: Duration = .seconds(60)
    static let reconnectPause: Duration = .seconds(1)
    static let timerInterval: Duration = .milliseconds(500)
    /// The largest accepted message: the peer list of a full room in which all peers have the
    /// longest metadata, in ordinary letters.
    static let messageBytesMaximum = 128 << 20
    /// Frames waiting for the socket.
    static let outboxMaximum = 4096

    enum Membership { case outside, joining, inside }

    let configuration: Configuration
    let group: any EventLoopGroup
    let eventLoop: any EventLoop
    let logger: Logger
    let clock: @Sendable () -> Instant
    let makeObserver: @Sendable () -> any ClientMediaObserver
    nonisolated let feed = RoomEvents()
    var signalling: SignallingClient
    var roster: SignallingRoster
    var media: NIOLoopBound<ClientMedia>?
    var outbox: AsyncStream<String>.Continuation?
    var membership = Membership.outside
    /// The client has been in the room, so it may reconnect.
    var hasJoined = false
    /// The policy of the current socket; nil until it has arrived.
    var policy: PolicyPayload?
    /// The role in our token.
    var firstRole: String?
    var published: [LocalTrack] = []
    var offers = PublishOffers()
    var isLeaving = false
    /// When the connection was lost; nil while the server is reachable.
    var lostAt: Instant?
    /// The server must not be contacted before this time. Set by `interrupt(for:)`; nil once we
    /// connect again.
    var interruptedUntil: Instant?

    public nonisolated var events: AsyncStream<RemoteRoomEvent> { feed.stream }
    /// Our own id in the room.
    public nonisolated var peer: PeerID { configuration.peer }

    /// - Parameter clock: the clock for signalling.
    public init(
        configuration: Configuration, group: any EventLoopGroup, logger: Logger,
        clock: @escaping @Sendable () -> Instant = { MonotonicClock.now },
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) {
        self.configuration = configuration
        self.group = group
        eventLoop = group.next()
        self.logger = logger
        self.clock = clock
        self.makeObserver = makeObserver
        var random = SecureRandom()
        signalling = SignallingClient(seed: random.next())
        roster = SignallingRoster(ownID: configuration.peer)
    }

    // MARK: Life

    /// Joins and stays. Throws if the room refuses us, or is unreachable for `reconnectWindow`.
    public func run() async throws(RoomEnd) {
        // In every case, since others wait for the end.
        defer { feed.finish() }
        let end = await stay()
        await stopMedia()
        if let end { throw end }
    }

    /// - Returns: nil after `leave()` or a cancellation.
    private func stay() async -> RoomEnd? {
        do {
            try await startMedia()
            try await stayConnected()
            return nil
        } catch let end as RoomEnd {
            return end
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(NetworkFault.words(error))
        }
    }

    private func stayConnected() async throws {
        while !isLeaving {
            do {
                try await connectOnce()
                try giveUpIfDue(because: .unreachable("the server closed the connection"))
            } catch let error as RoomEnd {
                if case .unreachable = error {} else { throw error }
                try giveUpIfDue(because: error)
            } catch is CancellationError {
                return
            } catch {
                try giveUpIfDue(because: .unreachable(NetworkFault.words(error)))
            }
            repeat {
                guard !isLeaving else { return }
                try await Task.sleep(for: Self.reconnectPause)
            } while interruptedUntil.map { MonotonicClock.now < $0 } ?? false
            interruptedUntil = nil
        }
    }

    private func giveUpIfDue(because error: RoomEnd) throws {
        let now = clock()
        let since = lostAt ?? now
        lostAt = since
        // We have ended the connection ourselves. Closing it may outlast the interruption.
        guard !isLeaving, interruptedUntil == nil else { return }
        // A client that never joined has nothing to rejoin.
        guard hasJoined else { throw error }
        let remaining = Self.reconnectWindow - (now - since)
        guard remaining >= .zero else { throw error }
        logger.warning(
            "the connection is lost, trying again",
            metadata: [
                "error": "\(error)", "gives_up_in_seconds": "\(Int(remaining.inSeconds))",
            ])
    }

    private func connectOnce() async throws {
        let endpoint = try await InitCall.run(
            endpoint: configuration.endpoint, token: configuration.token, peer: configuration.peer)
        // `leave()` may have been called meanwhile, without a connection to send it on.
        guard !isLeaving else { return }
        let query = [
            ("peer", configuration.peer.rawValue), ("token", configuration.token),
            ("protocol_version", "2.5"), ("protocol_spec", "20250115"),
        ]
        guard let url = WebSocketURL(endpoint, adding: query) else {
            throw RoomEnd.protocolViolation("'\(endpoint)' is no WebSocket endpoint")
        }
        let (frames, outbox) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(Self.outboxMaximum))
        self.outbox = outbox
        policy = nil
        signalling.opened(at: clock())
        defer {
            outbox.finish()
            self.outbox = nil
            signalling.closed()
            // The answer will not arrive any more.
            if membership == .joining { membership = .outside }
        }
        try await drain()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            // The first task to end cancels the other: a server that vanishes does not close the
            // connection.
            tasks.addTask { try await self.keepTime() }
            tasks.addTask { [group] in
                try await RoomSocket.run(
                    url: url, bytesMaximum: Self.messageBytesMaximum, group: group
                ) { writer in
                    for await frame in frames { try await writer.send(frame) }
                    try await writer.close()
                } received: { text in
                    try await self.received(text)
                }
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }

    /// Says goodbye and waits until `run()` has returned.
    public func leave() async {
        isLeaving = true
        if outbox != nil {
            signalling.leave()
            while let output = signalling.poll() {
                if case .send(let text) = output { outbox?.yield(text) }
            }
        }
        outbox?.finish()
        await feed.waitForEnd()
    }

    private func keepTime() async throws {
        while true {
            try await Task.sleep(for: Self.timerInterval)
            signalling.handleTimeout(at: clock())
            try await drain()
        }
    }

    private func received(_ text: String) async throws {
        signalling.received(text, at: clock())
        try await drain()
    }
}
