public import Logging
public import MediaKernel
internal import MediaServer
public import Rooms
internal import Synchronization

/// The owner of one room: its rules (``Rooms/Room``), its peers' media, and their places in both.
///
/// It is independent of signalling protocols. Protocols bring ``RoomSessions``, of which there may
/// be several kinds in one room; their changes of `room` take effect with the next ``settle()``.
///
/// The caller keeps ``run()`` running and calls ``tick()`` about once a second. The room may change
/// during every `await` on the media plane: check its state again afterwards.
public actor RoomHost {
    /// A peer's state in the media plane. It handles one step at a time: a peer that comes back
    /// while its old place is being removed has to wait.
    enum Seat: Hashable {
        /// The number distinguishes attempts.
        case opening(Int)
        case open
        /// The peer has offered no connection yet: it neither publishes nor subscribes.
        case withoutMedia(asksForVideos: Bool, LayerNames)
        case closing
    }

    /// The most events of the media plane that wait until a join is answered.
    static let heldEventsMaximum = 64

    public nonisolated let media: any RoomMedia
    public nonisolated let streaming: any LiveStreaming
    public nonisolated let calls: any GroupCalling
    public nonisolated let clock: RoomClock
    public nonisolated let logger: Logger
    private let recorder: @Sendable (SessionNote, UnixTime) -> Void
    private let known: Mutex<RoomOutline>

    public var room: Room
    /// Of each protocol, in a fixed order.
    let sessions: [any RoomSessions]
    var seats: [PeerID: Seat] = [:]
    var attempts = 0
    /// Events of the media plane for peers whose join is not answered yet.
    var held: [PeerID: [MediaEvent]] = [:]
    var orders = MediaOrders()
    var subscribeRestarts = SubscribeRestarts()
    /// The socket of each peer for which its subscribe connection is offered; 0 is omitted.
    var offeredSockets: [PeerID: Int] = [:]
    /// Of peers that do not want everything.
    var views: [PeerID: RoomView] = [:]
    var speaking = Speaking()
    /// Peers whose clients go on sending muted tracks.
    var mutedForOthers: Set<PeerID> = []
    /// The named connections that work at present.
    var workingConnections: [PeerID: Set<ConnectionKey>] = [:]
    /// How well the way to each peer carries its media, as last reported: 0 to 5.
    var qualities: [PeerID: Int] = [:]

    /// - Parameters:
    ///   - protocols: whose clients may join the room.
    ///   - recorder: gets the events of the room's sessions, in order; must not wait.
    public init(
        room: Room, media: any RoomMedia, streaming: any LiveStreaming,
        calls: any GroupCalling = NoGroupCalls(), protocols: [any RoomProtocol],
        clock: RoomClock = .system,
        recorder: @escaping @Sendable (SessionNote, UnixTime) -> Void = { _, _ in },
        logger: Logger = Logger(label: "roomcast.room")
    ) {
        self.room = room
        known = Mutex(RoomOutline(room))
        self.media = media
        self.streaming = streaming
        self.calls = calls
        sessions = protocols.map { $0.makeSessions() }
        self.clock = clock
        self.recorder = recorder
        var logger = logger
        logger[metadataKey: "room"] = "\(room.id)"
        self.logger = logger
    }

    /// The sessions of one protocol.
    public func sessions<Sessions: RoomSessions>(of type: Sessions.Type) -> Sessions? {
        for candidate in sessions {
            if let found = candidate as? Sessions { return found }
        }
        return nil
    }

    /// Works with the sessions of one protocol, in the room's isolation.
    ///
    /// - Returns: nil if the room does not accept clients of that protocol.
    @discardableResult
    public func inside<Sessions: RoomSessions, Result: Sendable>(
        _ type: Sessions.Type,
        _ work: @Sendable (Sessions, isolated RoomHost) async -> Result
    ) async -> Result? {
        guard let sessions = sessions(of: type) else { return nil }
        return await work(sessions, self)
    }

    /// Passes on the media plane's events until it is shut down.
    public func run() async {
        for await event in media.events { await received(event) }
    }

    /// Removes peers that did not come back in time or are silent, and sends rate-limited reports.
    /// About once a second.
    public func tick() async {
        let now = clock.now()
        room.handleTimeout(at: now)
        for protocolSessions in sessions { protocolSessions.handleTimeout(at: now, in: self) }
        for peer in subscribeRestarts.due(at: now) where isConnected(peer) {
            log(.info, "subscribe connection is restarted", peer)
            orders.add(.restartSubscribe(peer))
        }
        await settle()
        noteOutline()
        for protocolSessions in sessions { protocolSessions.report(at: now, in: self) }
    }

    /// Ends the room: notifies all peers and closes all connections.
    public func endAll(reason: String) async {
        room.ended(lock: false, reason: reason, because: .serverStopped)
        await settle()
        for protocolSessions in sessions { protocolSessions.closeAll(reason: reason, in: self) }
    }

    /// There are no peers, including hidden ones and previews, and no removed peers to be told.
    public var isEmpty: Bool { room.isEmpty && sessions.allSatisfy(\.isEmpty) }

    /// The present or last speaker; before the first one, a peer with a camera.
    public var speaker: PeerID? {
        if let last = speaking.last, (try? room.peers.visiblePeer(last)) != nil { return last }
        let publishers = room.peers.publishers
        let camera = publishers.first { $0.tracks.contains { $0.kind == .video } }
        return (camera ?? publishers.first)?.id
    }

    /// - Parameter speakers: loudest first.
    func heard(_ speakers: [ActiveSpeaker]) {
        let loudest = speakers.first { (try? room.peers.visiblePeer($0.peer)) != nil }?.peer
        guard let loudest, loudest != speaking.last else { return }
        speaking.last = loudest
        for (peer, view) in views where view == .activeSpeaker { orders.add(.subscriptions(peer)) }
    }

    func isConnected(_ peer: PeerID) -> Bool { sessions.contains { $0.isConnected(peer) } }

    // MARK: - The room, from outside

    /// The room's streams changed. All peers are told; later ones are told when they join.
    public func hlsChanged(_ state: HLSState) async {
        room.streamingChanged(.hls(state))
        await settle()
    }

    /// The room's recording without a live stream changed. Peers are told as for the streams.
    public func recordingChanged(_ recording: RoomRecording) async {
        room.streamingChanged(.recording(recording))
        await settle()
    }

    /// The room's pushes to other servers changed. Peers are told as for the streams.
    public func rtmpChanged(_ state: RTMPState) async {
        room.streamingChanged(.rtmp(state))
        await settle()
    }

    /// Does not wait for the room.
    public nonisolated var outline: RoomOutline { known.withLock { $0 } }

    /// Updates the outline after a change in the room.
    private func noteOutline() {
        let outline = RoomOutline(room)
        known.withLock { $0 = outline }
    }

    public func snapshot() -> RoomSnapshot {
        RoomSnapshot(
            id: room.id, name: room.name, session: room.session, peerCount: room.peers.visibleCount,
            peers: room.peers.visible, qualities: qualities, hls: room.streaming.hls)
    }

    // MARK: - Effects

    /// Carries out the room's effects, then the orders to the media plane.
    public func settle() async {
        var isNew = false
        while let effect = room.poll() {
            perform(effect)
            isNew = true
        }
        // Before waiting for the media plane.
        if isNew { noteOutline() }
        await flushOrders()
    }

    private func perform(_ effect: RoomEffect) {
        switch effect {
        case .tell(let peers, let event):
            for protocolSessions in sessions { protocolSessions.tell(peers, event, in: self) }
        case .resubscribe(let peer):
            orders.add(.subscriptions(peer))
        case .releaseMedia(let peer):
            log(.info, "peer left", peer)
            release(peer)
            for protocolSessions in sessions { protocolSessions.forget(peer) }
        case .dismiss(let peers, let dismissal):
            for protocolSessions in sessions {
                protocolSessions.dismiss(peers, dismissal, in: self)
            }
        case .refreshPreviews:
            for protocolSessions in sessions { protocolSessions.previewsWentStale() }
        case .messagesDeleted(let messages):
            streaming.unsaid(messages, room: room.id)
        case .noted(let note):
            recorder(note, clock.wall())
        }
    }

    public nonisolated func log(
        _ level: Logger.Level, _ message: Logger.Message, _ peer: PeerID,
        _ metadata: Logger.Metadata = [:]
    ) {
        logger.log(
            level: level, message,
            metadata: metadata.merging(["peer": "\(peer)"]) { given, _ in given })
    }
}
