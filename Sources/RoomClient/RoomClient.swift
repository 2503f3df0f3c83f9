import Clocks
import Datagrams
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
/// peer id, as the protocol has it; media goes on meanwhile.
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

        public init(
            endpoint: String, token: String, peer: PeerID, name: String, metadata: String = "",
            network: NetworkConditions = NetworkConditions(), receivesVideo: Bool = true
        ) {
            self.endpoint = endpoint
            self.token = token
            self.peer = peer
            self.name = name
            self.metadata = metadata
            self.network = network
            self.receivesVideo = receivesVideo
        }
    }

    public enum Event: Sendable {
        /// The room has taken us in; comes once.
        case joined
        /// What the server said, for whoever cares.
        case signalling(SignallingEvent)
        /// What we get of some videos, and in which forms there are.
        case trackLayers([TrackLayersPayload.Track])
    }

    /// One thing we send: its media description and its description in the room.
    public struct PublishedMedia: Sendable {
        public var track: OutgoingTrack
        public var payload: TrackPayload

        public init(track: OutgoingTrack, payload: TrackPayload) {
            self.track = track
            self.payload = payload
        }
    }

    /// How long a lost connection is tried again (hms.md sect. 9).
    public static let reconnectWindow: Duration = .seconds(60)
    static let reconnectPause: Duration = .seconds(1)
    static let timerInterval: Duration = .milliseconds(500)
    /// Frames waiting for the socket.
    static let outboxMaximum = 4096
    static let eventsMaximum = 4096

    private enum Membership { case outside, joining, inside }

    private let configuration: Configuration
    /// Our own id in the room.
    public nonisolated let peer: PeerID
    private let group: any EventLoopGroup
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let makeObserver: @Sendable () -> any ClientMediaObserver
    public nonisolated let events: AsyncStream<Event>
    private let eventSink: AsyncStream<Event>.Continuation
    private var signalling: SignallingClient
    private var media: NIOLoopBound<ClientMedia>?
    private var outbox: AsyncStream<String>.Continuation?
    private var membership = Membership.outside
    private var published: [PublishedMedia] = []
    private var isOfferOutstanding = false
    private var needsOffer = false
    private var needsRestart = false
    private var isLeaving = false
    /// Before this the server must not be reached; see `interrupt(for:)`.
    private var interruptedUntil = Instant.zero
    /// Finished when `run()` has returned, for those who wait for it.
    private nonisolated let ended: AsyncStream<Never>
    private let endedSink: AsyncStream<Never>.Continuation

    public init(
        configuration: Configuration, group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) {
        self.configuration = configuration
        peer = configuration.peer
        self.group = group
        eventLoop = group.next()
        self.logger = logger
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
        try await startMedia()
        defer {
            eventSink.finish()
            endedSink.finish()
        }
        do {
            try await stayConnected()
        } catch {
            await stopMedia()
            throw error
        }
        await stopMedia()
    }

    private func stayConnected() async throws {
        var lostAt: Instant?
        while !isLeaving {
            do {
                try await connectOnce()
                lostAt = MonotonicClock.now
            } catch let error as RoomClientError {
                if case .unreachable = error {} else { throw error }
                try await giveUpIfDue(&lostAt, because: error)
            } catch is CancellationError {
                return
            } catch {
                try await giveUpIfDue(&lostAt, because: .unreachable(String(describing: error)))
            }
            repeat {
                guard !isLeaving else { return }
                try await Task.sleep(for: Self.reconnectPause)
            } while MonotonicClock.now < interruptedUntil
        }
    }

    private func giveUpIfDue(_ lostAt: inout Instant?, because error: RoomClientError) async throws
    {
        logger.warning("signalling lost", metadata: ["error": "\(error)"])
        // Who was never in the room has nothing to come back to.
        guard membership == .inside else { throw error }
        let now = MonotonicClock.now
        let since = lostAt ?? now
        lostAt = since
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
        signalling.opened(at: MonotonicClock.now)
        try await drain()
        let timer = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: Self.timerInterval)
                try await self.timerFired()
            }
        }
        defer {
            timer.cancel()
            outbox.finish()
            self.outbox = nil
            signalling.closed()
        }
        try await WebSocketClient.run(url: url, group: group) { writer in
            for await frame in frames { try await writer.send(frame) }
            try await writer.close()
        } received: { text in
            try await self.received(text)
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

    private func timerFired() async throws {
        signalling.handleTimeout(at: MonotonicClock.now)
        try await drain()
    }

    private func received(_ text: String) async throws {
        signalling.received(text, at: MonotonicClock.now)
        try await drain()
    }

    // MARK: Publishing

    /// Sends exactly these tracks from now on.
    public func publish(_ media: [PublishedMedia]) async throws {
        published = media
        try await offerPublish()
    }

    /// Tells the room that a track of ours is silent or dark, or not any more. What is sent
    /// meanwhile is the observer's business.
    public func setMuted(_ isMuted: Bool, track: TrackID) async throws {
        guard let index = published.firstIndex(where: { $0.payload.trackID == track }) else {
            return
        }
        published[index].payload.mute = isMuted
        guard membership == .inside, outbox != nil else { return }
        signalling.updateTracks([published[index].payload])
        try await drain()
    }

    /// Loses the network for a while, as when a cable is drawn: signalling breaks, and neither
    /// connection sends or receives. Afterwards all of it comes back by itself.
    public func interrupt(for duration: Duration) async throws {
        let end = MonotonicClock.now + duration
        interruptedUntil = end
        try await onMedia { $0.interrupt(until: end) }
        outbox?.finish()
    }

    private func offerPublish() async throws {
        guard membership == .inside, outbox != nil else { return }
        guard !isOfferOutstanding else {
            needsOffer = true
            return
        }
        let tracks = published.map(\.track)
        let restarts = needsRestart
        let sdp = try await onMedia { try $0.publishOffer(tracks: tracks, restartsICE: restarts) }
        isOfferOutstanding = true
        needsOffer = false
        needsRestart = false
        signalling.offer(sdp, tracks: published.map(\.payload))
        try await drain()
    }

    // MARK: Receiving

    /// Says which form of a video we wish to get: the best one unless we say otherwise; `none`
    /// for nothing, until something else is asked for.
    public func preferVideo(_ track: TrackID, layer: VideoLayerPreference) async throws {
        guard let wish = signalling.preferVideo(track, layer: layer) else { return }
        try await onMedia { $0.wish(wish.text, for: track) }
    }

    /// Says whether we wish to hear somebody.
    public func preferAudio(_ track: TrackID, isSubscribed: Bool) async throws {
        guard let wish = signalling.preferAudio(track, isSubscribed: isSubscribed) else { return }
        try await onMedia { $0.wish(wish.text, for: track) }
    }

    // MARK: Signalling

    private func drain() async throws {
        while let output = signalling.poll() {
            switch output {
            case .send(let text): outbox?.yield(text)
            case .event(let event): try await handle(event)
            }
        }
    }

    private func handle(_ event: SignallingEvent) async throws {
        switch event {
        case .policy:
            try await policyArrived()
        case .joined(_, let sdp):
            try await onMedia { try $0.publishAnswer(sdp) }
            isOfferOutstanding = false
            membership = .inside
            eventSink.yield(.joined)
            if !published.isEmpty { try await offerPublish() }
        case .answered(_, let sdp):
            try await onMedia { try $0.publishAnswer(sdp) }
            isOfferOutstanding = false
            if needsOffer { try await offerPublish() }
        case .offer(let sdp):
            signalling.answer(try await onMedia { try $0.subscribeOffer(sdp) })
        case .trickle(let target, let candidate):
            let direction: ConnectionDirection = target == .publish ? .publish : .subscribe
            let text = candidate.candidate
            try await onMedia { $0.trickle(text, direction: direction) }
        case .refused(_, let method, let error):
            // Without these two there is no way to be in the room.
            guard method == .join || method == .offer else {
                logger.warning(
                    "call refused",
                    metadata: ["method": "\(method.rawValue)", "error": "\(error.message)"])
                break
            }
            throw RoomClientError.refused(code: error.code, message: error.message)
        case .fatal(let error):
            throw RoomClientError.removed(reason: error.message)
        case .leaveRequested(let request):
            throw request.roomEnd
                ? RoomClientError.roomEnded(reason: request.reason)
                : RoomClientError.removed(reason: request.reason)
        case .silent:
            throw RoomClientError.unreachable("no sign of life")
        case .peerList, .roomState, .roomInfo, .sessionInfo, .peerJoined, .peerLeft, .peerUpdated,
            .tracksAdded, .tracksUpdated, .tracksRemoved, .broadcast, .hls, .metadata, .sent,
            .done, .warning, .ignored:
            break
        }
        eventSink.yield(.signalling(event))
    }

    /// The server speaks first; only then may a client join or come back.
    private func policyArrived() async throws {
        switch membership {
        case .outside:
            membership = .joining
            let sdp = try await onMedia { try $0.publishOffer(tracks: []) }
            isOfferOutstanding = true
            signalling.join(
                name: configuration.name, metadata: configuration.metadata, offer: sdp)
        case .joining:
            break
        case .inside:
            // hms.md sect. 9: an offer on the existing connection, then all track states.
            isOfferOutstanding = false
            try await offerPublish()
            signalling.updateTracks(published.map(\.payload))
        }
    }

    // MARK: Media

    /// Runs on the media loop.
    public func onMedia<Result: Sendable>(
        _ body: @escaping @Sendable (ClientMedia) throws -> Result
    ) async throws -> Result {
        guard let media else { throw RoomClientError.protocolViolation("not connected") }
        return try await eventLoop.submit {
            defer { media.value.flush() }
            return try body(media.value)
        }.get()
    }

    private func startMedia() async throws {
        let identity = try DTLSIdentity.generate()
        let (eventLoop, makeObserver) = (eventLoop, makeObserver)
        let (network, receivesVideo) = (configuration.network, configuration.receivesVideo)
        let changed: @Sendable (ConnectionDirection, PeerConnectionState) -> Void = {
            [weak self] direction, state in
            guard direction == .publish, state == .failed || state == .disconnected else { return }
            // The loop cannot wait for an actor.
            Task { try await self?.publishConnectionLost() }
        }
        let eventSink = eventSink
        let heard: @Sendable (String) -> Void = { text in
            guard let payload = TrackLayersPayload(frame: text) else { return }
            eventSink.yield(.trackLayers(Array(payload.tracks.values)))
        }
        let media = try await eventLoop.submit {
            NIOLoopBound(
                ClientMedia(
                    eventLoop: eventLoop, identity: identity, observer: makeObserver(),
                    network: network, receivesVideo: receivesVideo, stateChanged: changed,
                    channelText: heard),
                eventLoop: eventLoop)
        }.get()
        func bind(_ direction: ConnectionDirection) async throws -> NIOLoopBound<DatagramSocket> {
            try await DatagramSocket.bind(host: "0.0.0.0", port: 0, on: eventLoop) {
                DatagramSocket.Handlers(
                    received: { media.value.received($0, from: $1, direction) },
                    batchEnded: { media.value.flush() })
            }.get()
        }
        let publish = try await bind(.publish)
        let subscribe = try await bind(.subscribe)
        try await eventLoop.submit {
            media.value.start(publish: publish.value, subscribe: subscribe.value)
        }.get()
        self.media = media
    }

    private func stopMedia() async {
        guard let media else { return }
        self.media = nil
        try? await eventLoop.submit { media.value.stop() }.get()
    }

    /// The client restarts the publish side; the server the other (hms.md sect. 9).
    private func publishConnectionLost() async throws {
        guard membership == .inside, !isLeaving else { return }
        needsRestart = true
        isOfferOutstanding = false
        try await offerPublish()
    }
}
