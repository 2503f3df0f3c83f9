public import Clocks
public import Logging
public import MediaKernel
public import NIOCore
public import PeerConnection
import SecureTransport
public import Signalling

/// A participant that is a program: joins a room over the 100ms protocol, receives what it may
/// see and sends what it is given.
///
/// `run()` is its life. Signalling that breaks is taken up again for up to a minute with the same
/// peer id, as the protocol has it; media goes on meanwhile. A server that does not know us any
/// more, as after its restart, is joined again, with new media connections.
public actor RoomClient {
    public struct Configuration: Sendable {
        /// Origin of the server: `http://127.0.0.1:8080`.
        public var endpoint: String
        /// A room token.
        public var token: String
        public var peer: PeerID
        public var name: String
        public var metadata: String
        /// What happens to the datagrams that are sent.
        public var network: NetworkConditions
        /// Whether anybody's video is received.
        public var receivesVideo: Bool
        /// How often what has arrived is taken, and time passes for media. That costs half as much
        /// as to wake up for each packet, and times of arrival are up to so much late. Nil for each
        /// packet as it comes.
        public var readingInterval: Duration?

        public init(
            endpoint: String, token: String, peer: PeerID, name: String, metadata: String = "",
            network: NetworkConditions = NetworkConditions(), receivesVideo: Bool = true,
            readingInterval: Duration? = nil
        ) {
            self.endpoint = endpoint
            self.token = token
            self.peer = peer
            self.name = name
            self.metadata = metadata
            self.network = network
            self.receivesVideo = receivesVideo
            self.readingInterval = readingInterval
        }
    }

    public enum Event: Sendable {
        /// The room has taken us in; comes once.
        case joined
        /// What the server said, for whoever cares.
        case signalling(SignallingEvent)
        /// The connection on which the room's media come has a new state.
        case receiving(PeerConnectionState)
        /// What we get of some videos, and in which forms there are.
        case trackLayers([TrackLayersPayload.Track])
    }

    /// How long a lost connection is tried again (docs/PROTOCOL.md sect. 9).
    public static let reconnectWindow: Duration = .seconds(60)
    static let reconnectPause: Duration = .seconds(1)
    static let timerInterval: Duration = .milliseconds(500)
    /// Frames waiting for the socket.
    static let outboxMaximum = 4096
    static let eventsMaximum = 4096

    enum Membership { case outside, joining, inside }

    let configuration: Configuration
    /// Our own id in the room.
    public nonisolated let peer: PeerID
    let group: any EventLoopGroup
    let eventLoop: any EventLoop
    let logger: Logger
    let clock: @Sendable () -> Instant
    let makeObserver: @Sendable () -> any ClientMediaObserver
    public nonisolated let events: AsyncStream<Event>
    let eventSink: AsyncStream<Event>.Continuation
    var signalling: SignallingClient
    var media: NIOLoopBound<ClientMedia>?
    var outbox: AsyncStream<String>.Continuation?
    var membership = Membership.outside
    /// It has been in the room, and so has something to come back to.
    var hasJoined = false
    /// Of the present socket; nil until it has come.
    var policy: PolicyPayload?
    /// The role of our token.
    var firstRole: String?
    var published: [PublishedMedia] = []
    var isOfferOutstanding = false
    var needsOffer = false
    var needsRestart = false
    var isLeaving = false
    /// Since when there has been no connection; nil while the server speaks to us.
    var lostAt: Instant?
    /// Before this the server must not be reached; see `interrupt(for:)`.
    var interruptedUntil = Instant.zero
    /// Finished when `run()` has returned, for those who wait for it.
    nonisolated let ended: AsyncStream<Never>
    let endedSink: AsyncStream<Never>.Continuation

    /// - Parameter clock: the signalling's.
    public init(
        configuration: Configuration, group: any EventLoopGroup, logger: Logger,
        clock: @escaping @Sendable () -> Instant = { MonotonicClock.now },
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) {
        self.configuration = configuration
        peer = configuration.peer
        self.group = group
        eventLoop = group.next()
        self.logger = logger
        self.clock = clock
        self.makeObserver = makeObserver
        var random = SecureRandom()
        signalling = SignallingClient(seed: random.next())
        (ended, endedSink) = AsyncStream.makeStream()
        (events, eventSink) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.eventsMaximum))
    }

    // MARK: Life

    /// Joins and stays. Returns after `leave()`; throws when the room does not want us, or cannot
    /// be reached for `reconnectWindow`.
    public func run() async throws {
        // Whatever happens: others wait for the end.
        defer {
            eventSink.finish()
            endedSink.finish()
        }
        try await startMedia()
        do {
            try await stayConnected()
        } catch {
            await stopMedia()
            throw error
        }
        await stopMedia()
    }

    private func stayConnected() async throws {
        while !isLeaving {
            do {
                try await connectOnce()
                try giveUpIfDue(because: .unreachable("the server closed the connection"))
            } catch let error as RoomClientError {
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
            } while MonotonicClock.now < interruptedUntil
        }
    }

    private func giveUpIfDue(because error: RoomClientError) throws {
        let now = clock()
        let since = lostAt ?? now
        lostAt = since
        // We have ended it ourselves.
        guard !isLeaving, interruptedUntil <= MonotonicClock.now else { return }
        logger.warning("signalling lost", metadata: ["error": "\(error)"])
        // Who was never in the room has nothing to come back to.
        guard hasJoined else { throw error }
        if now - since > Self.reconnectWindow { throw error }
    }

    private func connectOnce() async throws {
        let endpoint = try await InitCall.run(
            endpoint: configuration.endpoint, token: configuration.token, peer: configuration.peer)
        // Whoever wanted to leave meanwhile found no connection to say so on.
        guard !isLeaving else { return }
        let query = [
            ("peer", configuration.peer.rawValue), ("token", configuration.token),
            ("protocol_version", "2.5"), ("protocol_spec", "20250115"),
        ]
        guard let url = WebSocketURL(endpoint, adding: query) else {
            throw RoomClientError.protocolViolation("'\(endpoint)' is no WebSocket endpoint")
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
            // Its answer will not come any more.
            if membership == .joining { membership = .outside }
        }
        try await drain()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            // Whichever ends takes the other with it: a server that is gone ends no connection.
            tasks.addTask { try await self.keepTime() }
            tasks.addTask { [group] in
                try await WebSocketClient.run(url: url, group: group) { writer in
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
        for await _ in ended {}
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
