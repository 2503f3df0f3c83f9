public import MediaKernel

/// A room's rules: its peers, their tracks, their subscriptions, and the shared state.
///
/// A value without a clock, a socket or a packet. Facts go in as past-tense calls with the time as
/// an argument; actions come out of ``poll()`` as ``RoomEffect``s. Drain `poll` after every call:
/// effects are in the order in which they must happen.
///
/// Invariants:
/// 1. A hidden peer is not in any list, count or event, and does not publish.
/// 2. Other peers do not hear of a peer before its `joinCompleted`, nor after it has left.
/// 3. A peer whose socket was lost keeps its state for `limits.absence`.
/// 4. While its media is lost too it is not in any list or count, as if it had left.
/// 5. A session lasts from the first join to the last leave, including hidden peers.
public struct Room: Sendable {
    /// One occupancy of the room.
    public struct Session: Hashable, Sendable {
        public let id: SessionID
        public let startedAt: UnixTime
    }

    public let id: RoomID
    public let name: String
    public let description: String
    /// The address of the picture of peers without one of their own; nil for none.
    public let defaultImage: String?

    public internal(set) var peers: RoomPeers
    public internal(set) var session: Session?
    public internal(set) var streaming = RoomStreaming()
    public internal(set) var store = SessionStore()
    var polls = Polls()
    var recentEvents = RecentEvents()
    var sentMessages = SentMessages()
    /// Whether newcomers that only watch are quiet. Other rooms have no quiet peers.
    public internal(set) var isLarge = false

    /// Whether this session has had a visible peer.
    private var isSessionNoted = false
    var random: SeededRandom
    var effects = RoomEffects()

    /// The reason that a peer is told when another of its user has taken its place.
    static let kickedBySibling = "the user joined from another device"

    /// - Parameter seed: of the session's and the messages' ids; random in production, where ids
    ///   must not repeat.
    public init(
        id: RoomID, name: String, description: String = "", defaultImage: String? = nil,
        policy: Policy,
        limits: RoomLimits = RoomLimits(), isLocked: Bool = false, seed: UInt64
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.defaultImage = defaultImage
        peers = RoomPeers(policy: policy, limits: limits, isLocked: isLocked)
        random = SeededRandom(seed: seed)
    }

    public var policy: Policy { peers.policy }
    public var limits: RoomLimits { peers.limits }
    public var isLocked: Bool { peers.isLocked }

    /// The room has no peers, including hidden ones, and none is joining.
    public var isEmpty: Bool { peers.isEmpty }

    /// Whether the room has peers, or peers that may come back. Hidden peers do not count.
    public var isOccupied: Bool { peers.all.contains(where: \.isMember) }

    /// The session if it is visible: one with only hidden peers is not.
    public var visibleSession: Session? { peers.visibleCount > 0 ? session : nil }

    /// The next effect; `nil` when there are no more.
    public mutating func poll() -> RoomEffect? { effects.next() }

    // MARK: - Joining and leaving

    /// A client asked to join. It has a place from now on, but others do not hear of it before
    /// ``joinCompleted(_:wall:)``. If the room is full, an absent peer may lose its place.
    public mutating func joinRequested(_ request: JoinRequest, at now: Instant) throws(RoomError) {
        let replaced = try peers.admit(request, at: now)
        // Only now, so that the session goes on.
        for peer in replaced { left(peer.id, .connectionClosed) }
        peers.departed.forgetRates(of: request.owner)
    }

    /// The peer's media is up: it is in the room.
    ///
    /// - Parameter request: with which it has its place; nil if it puts nobody out.
    public mutating func joinCompleted(
        _ id: PeerID, _ request: JoinRequest? = nil, wall: UnixTime
    ) throws(RoomError) {
        guard var peer = peers[id], peer.presence.phase == .admitted else { throw .unknownPeer(id) }
        peer.cameLate = isLarge
        peer.isQuiet = peer.cameLate && peers.isOfNoInterest(peer)
        peer.presence.phase = .present
        peer.joinedAt = wall
        peers[id] = peer
        let session =
            session
            ?? Session(id: SessionID(Hexadecimal.identifier(using: &random)), startedAt: wall)
        self.session = session
        // Before the others hear of it, who would else see more peers than there are places.
        for sibling in request.map({ peers.siblings(of: $0) }) ?? [] {
            remove(sibling, by: id, reason: Self.kickedBySibling)
        }
        if !peer.isHidden {
            if !isSessionNoted { effects.append(.noted(.sessionOpened(session))) }
            isSessionNoted = true
            effects.append(.noted(.peerJoined(peer, session)))
            if !peer.isQuiet { effects.tell(peers.reachable(except: id), .peerJoined(peer)) }
            audienceGrew()
            effects.append(.refreshPreviews)
        }
        effects.append(.resubscribe(id))
    }

    /// The peer's media could not be set up, or the peer went away before it was.
    public mutating func joinAbandoned(_ id: PeerID) {
        guard let peer = peers[id], peer.presence.phase == .admitted else { return }
        peers.remove(peer)
        // The last joined peer may have left meanwhile.
        if session != nil { endSessionIfEmpty() }
    }

    /// The peer left.
    public mutating func left(
        _ id: PeerID, _ reason: LeaveReason = .clientRequest, message: String = ""
    ) {
        guard let peer = peers[id] else { return }
        guard peer.hasJoined else { return joinAbandoned(id) }
        peers.remove(peer)
        store.forget(id)
        effects.append(.releaseMedia(id))
        effects.noteLeaving(peer, from: session, reason, message: message)
        if peer.isVisible {
            if !peer.isQuiet { effects.tell(peers.reachable(except: id), .peerLeft(peer)) }
            effects.withdraw(peer.tracks, of: peer, from: peers.subscribers(of: peer))
            effects.append(.refreshPreviews)
        }
        endSessionIfEmpty()
    }

    /// A peer requested the removal of another.
    public mutating func removalRequested(
        of target: PeerID, by id: PeerID, reason: String, at now: Instant
    ) throws(RoomError) {
        try peers.require(.removeOthers, of: id)
        try Check.bytes(reason, field: "reason", maximum: RoomLimits.descriptionBytes)
        let peer = try peers.member(target)
        try peers.spendFanOut(of: id, at: now)
        remove(peer, by: id, reason: reason)
    }

    mutating func remove(_ peer: Peer, by id: PeerID?, reason: String) {
        effects.append(.dismiss([peer], Dismissal(requester: id, reason: reason, isRoomEnd: false)))
        left(peer.id, .removed, message: reason)
    }

    /// A peer requested the end of the room.
    public mutating func endRequested(
        by id: PeerID, lock: Bool, reason: String, at now: Instant
    ) throws(RoomError) {
        try peers.require(.endRoom, of: id)
        try Check.bytes(reason, field: "reason", maximum: RoomLimits.descriptionBytes)
        try peers.spendFanOut(of: id, at: now)
        ended(by: id, lock: lock, reason: reason)
    }

    /// The room ended for all peers, including hidden ones. Peers are not told of each other's
    /// leaving.
    ///
    /// - Parameter because: the reason noted for each peer's leaving, besides `reason`.
    public mutating func ended(
        by id: PeerID? = nil, lock: Bool, reason: String, because: LeaveReason = .roomEnded
    ) {
        if lock {
            peers.isLocked = true
            effects.append(.noted(.roomLocked))
        }
        if because == .roomEnded {
            let requester = id.flatMap { peers[$0] }
            effects.append(
                .noted(
                    .roomEnded(
                        session: isSessionNoted ? session : nil, by: requester,
                        isLocked: isLocked, reason: reason)))
        }
        let gone = peers.inOrder
        effects.append(.dismiss(gone, Dismissal(requester: id, reason: reason, isRoomEnd: true)))
        for peer in gone where peer.hasJoined {
            effects.append(.releaseMedia(peer.id))
            effects.noteLeaving(peer, from: session, because, message: reason)
        }
        peers.removeAll()
        effects.append(.refreshPreviews)
        endSessionIfEmpty()
    }

    private mutating func endSessionIfEmpty() {
        guard peers.isEmpty else { return }
        if let session, isSessionNoted { effects.append(.noted(.sessionClosed(session))) }
        isSessionNoted = false
        session = nil
        isLarge = false
        peers.departed.sessionEnded()
        peers.moderation = Moderation()
        recentEvents = RecentEvents()
        sentMessages = SentMessages()
        store = SessionStore()
        polls = Polls()
        streaming.sessionEnded()
    }

    // MARK: - Effects

    /// Tells the addressees; those that are away are told when they are back.
    mutating func say(_ event: RoomEvent, to addressees: Addressees, at now: Instant) {
        let candidates = peers.candidates(of: addressees.audience)
        effects.tell(candidates.filter(addressees.include).reachable, event)
        recentEvents.add(event, for: addressees, at: now, limits: limits)
    }
}
