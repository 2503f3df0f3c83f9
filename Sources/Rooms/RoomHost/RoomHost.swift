public import Logging
public import MediaKernel
internal import MediaServer
public import Rooms
internal import Synchronization

/// The owner of one room: its peers' rules (``Rooms/Room``), their media, their places in both.
///
/// It speaks no protocol. Protocols bring ``RoomSessions``, of which there may be several kinds in
/// one room; what they change in `room` takes effect with the next ``settle()``.
///
/// The caller keeps ``run()`` running and calls ``tick()`` about once a second. After every `await`
/// on the media plane the room may be another one: whoever resumes asks again.
public actor RoomHost {
    /// What the media plane has of a peer. It is asked for one thing at a time: a peer that comes
    /// back while its old place is taken down has to wait.
    enum Seat: Hashable {
        /// The number tells one attempt from another.
        case opening(Int)
        case open
        /// The peer has offered no connection yet: it neither publishes nor subscribes.
        case withoutMedia(asksForVideos: Bool)
        case closing
    }

    /// Events of the media plane that wait for a join to be answered.
    static let heldEventsMaximum = 64

    public nonisolated let media: any RoomMedia
    public nonisolated let streaming: any LiveStreaming
    public nonisolated let clock: RoomClock
    public nonisolated let logger: Logger
    private let journal: @Sendable (RoomNote, UnixTime) -> Void
    private let known: Mutex<RoomOutline>

    public var room: Room
    /// Of each protocol, in a fixed order.
    let sessions: [any RoomSessions]
    var seats: [PeerID: Seat] = [:]
    var attempts = 0
    /// What the media plane said to a peer whose join is not answered yet.
    var held: [PeerID: [MediaEvent]] = [:]
    var orders = MediaOrders()
    var subscribeRestarts = SubscribeRestarts()
    /// For which of a peer's sockets its subscribe connection is offered; 0 is left out.
    var offeredSockets: [PeerID: Int] = [:]
    /// Of those that do not want everything.
    var views: [PeerID: RoomView] = [:]
    /// Who is shown to those who want whoever speaks.
    private var lastSpeaker: PeerID?
    /// Those whose clients go on to send what is muted.
    var mutedForOthers: Set<PeerID> = []

    /// - Parameters:
    ///   - protocols: those whose clients may come into the room.
    ///   - journal: hears what happens in the room's sessions, in order; must not wait.
    public init(
        room: Room, media: any RoomMedia, streaming: any LiveStreaming,
        protocols: [any RoomProtocol], clock: RoomClock = .system,
        journal: @escaping @Sendable (RoomNote, UnixTime) -> Void = { _, _ in },
        logger: Logger = Logger(label: "roomcast.room")
    ) {
        self.room = room
        known = Mutex(RoomOutline(room))
        self.media = media
        self.streaming = streaming
        sessions = protocols.map { $0.makeSessions() }
        self.clock = clock
        self.journal = journal
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

    /// Hands on what the media plane says, until it is shut down.
    public func run() async {
        for await event in media.events { await received(event) }
    }

    /// Lets go of who did not come back in time and of who is silent, and tells what is told no
    /// more often than this is called. About once a second.
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

    /// Ends the room for everybody: each is told, each connection is closed.
    public func endAll(reason: String) async {
        room.ended(lock: false, reason: reason, because: .serverStopped)
        await settle()
        for protocolSessions in sessions { protocolSessions.closeAll(reason: reason, in: self) }
    }

    /// Nobody is here, hidden peers and those who only look in included, nor to be told why not.
    public var isEmpty: Bool { room.isEmpty && sessions.allSatisfy(\.isEmpty) }

    /// Whoever speaks, or spoke last; before anybody has, who publishes a camera.
    public var speaker: PeerID? {
        if let lastSpeaker, (try? room.visiblePeer(lastSpeaker)) != nil { return lastSpeaker }
        let publishers = room.publishers
        let camera = publishers.first { $0.tracks.contains { $0.kind == .video } }
        return (camera ?? publishers.first)?.id
    }

    /// - Parameter speakers: loudest first.
    func heard(_ speakers: [ActiveSpeaker]) {
        let loudest = speakers.first { (try? room.visiblePeer($0.peer)) != nil }?.peer
        guard let loudest, loudest != lastSpeaker else { return }
        lastSpeaker = loudest
        for (peer, view) in views where view == .activeSpeaker { orders.add(.subscriptions(peer)) }
    }

    func isConnected(_ peer: PeerID) -> Bool { sessions.contains { $0.isConnected(peer) } }

    // MARK: - The room, from outside

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
    private func noteOutline() {
        let outline = RoomOutline(room)
        known.withLock { $0 = outline }
    }

    public func snapshot() -> RoomSnapshot {
        RoomSnapshot(
            id: room.id, name: room.name, session: room.session, peerCount: room.peerCount,
            peers: room.visiblePeers, hls: room.hls)
    }

    // MARK: - Effects

    /// Does what the room decided, then what the media plane is to do about it.
    public func settle() async {
        var isNew = false
        while let effect = room.poll() {
            perform(effect)
            isNew = true
        }
        // Before the media plane is waited for.
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
        case .noted(let note):
            journal(note, clock.wall())
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
