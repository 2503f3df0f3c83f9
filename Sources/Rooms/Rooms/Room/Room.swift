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
    public let policy: Policy
    public let limits: RoomLimits

    public internal(set) var session: Session?
    public internal(set) var streaming = RoomStreaming()
    public internal(set) var store = SessionStore()
    var polls = Polls()
    var recentEvents = RecentEvents()
    /// A locked room admits no new peers but the recorder, which comes for the present ones.
    public private(set) var isLocked: Bool
    /// Whether newcomers that only watch are quiet. Other rooms have no quiet peers.
    public internal(set) var isLarge = false

    var peers: [PeerID: Peer] = [:]
    var departed = DepartedPeers()
    private var joins = 0
    /// Whether this session has had a visible peer.
    private var isSessionNoted = false
    private var random: SeededRandom
    private var effects = RoomEffects()

    /// - Parameter seed: of the session's and the messages' ids; random in production, where ids
    ///   must not repeat.
    public init(
        id: RoomID, name: String, description: String = "", policy: Policy,
        limits: RoomLimits = RoomLimits(), isLocked: Bool = false, seed: UInt64
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.policy = policy
        self.limits = limits
        self.isLocked = isLocked
        random = SeededRandom(seed: seed)
    }

    /// The next effect; `nil` when there are no more.
    public mutating func poll() -> RoomEffect? { effects.next() }

    // MARK: - Joining and leaving

    /// A client came to the door with a token: checks whether it may join at all. A present peer is
    /// the same client on a new socket, and so must have the same token.
    public func checkArrival(
        _ id: PeerID, of owner: TokenOwner, role: String
    ) throws(RoomError) {
        try Check.identifier(id.rawValue, field: "peer id")
        guard let role = policy.role(role) else { throw .unknownRole(role) }
        if let peer = peers[id] {
            guard peer.owner.isSame(as: owner) else { throw .peerIDTaken(id) }
        } else {
            try checkLock(for: role)
        }
    }

    /// A client asked to join. It has a place from now on, but others do not hear of it before
    /// ``joinCompleted(_:wall:)``. If the room is full, an absent peer may lose its place.
    public mutating func joinRequested(_ request: JoinRequest, at now: Instant) throws(RoomError) {
        try Check.identifier(request.peer.rawValue, field: "peer id")
        try Check.name(request.name, field: "name")
        try Check.bytes(request.metadata, field: "data", maximum: RoomLimits.metadataBytes)
        guard let role = policy.role(request.role) else { throw .unknownRole(request.role) }
        guard peers[request.peer] == nil else { throw .alreadyJoined(request.peer) }
        try checkLock(for: role)
        let isHidden = role.isHidden || request.isHidden
        let replaced = try replaceable(by: request.userID, as: role, isHidden: isHidden)
        let owner = TokenOwner(userID: request.userID, tokenID: request.tokenID)
        var rates =
            departed.rates[owner] ?? replaced.first { $0.owner.isSame(as: owner) }?.rates
            ?? RequestRates(limits, at: now)
        guard rates.fanOut.take(at: now) else {
            throw .tooManyRequests(perSecond: limits.fanOutPerSecond)
        }
        joins += 1
        departed.remove(request.peer)
        peers[request.peer] = Peer(
            id: request.peer, userID: request.userID, tokenID: request.tokenID, role: role.name,
            isHidden: isHidden, name: request.name, metadata: request.metadata,
            joinedOrder: joins, joinedAt: UnixTime(milliseconds: 0), rates: rates)
        // Only now, so that the session goes on.
        for peer in replaced { left(peer.id, .connectionClosed) }
        departed.forgetRates(of: owner)
    }

    private func checkLock(for role: Role) throws(RoomError) {
        guard !isLocked || role.isHidden else { throw .roomLocked }
    }

    /// The peer's media is up: it is in the room.
    public mutating func joinCompleted(_ id: PeerID, wall: UnixTime) throws(RoomError) {
        guard var peer = peers[id], peer.presence.phase == .admitted else { throw .unknownPeer(id) }
        peer.cameLate = isLarge
        peer.isQuiet = peer.cameLate && isOfNoInterest(peer)
        peer.presence.phase = .present
        peer.joinedAt = wall
        peers[id] = peer
        let session = session ?? Session(id: SessionID(makeIdentifier()), startedAt: wall)
        self.session = session
        if !peer.isHidden {
            if !isSessionNoted { emit(.noted(.sessionOpened(session))) }
            isSessionNoted = true
            emit(.noted(.peerJoined(peer, session)))
            if !peer.isQuiet { tell(everybody(except: id), .peerJoined(peer)) }
            audienceGrew()
            pollAudienceGrew()
            emit(.refreshPreviews)
        }
        emit(.resubscribe(id))
    }

    /// The peer's media could not be set up, or the peer went away before it was.
    public mutating func joinAbandoned(_ id: PeerID) {
        guard let peer = peers[id], peer.presence.phase == .admitted else { return }
        peers[id] = nil
        departed.keepRates(of: peer)
        // The last joined peer may have left meanwhile.
        if session != nil { endSessionIfEmpty() }
    }

    /// The peer left.
    public mutating func left(_ id: PeerID) { left(id, .clientRequest) }

    mutating func left(_ id: PeerID, _ reason: LeaveReason, message: String = "") {
        guard let peer = peers[id] else { return }
        guard peer.hasJoined else { return joinAbandoned(id) }
        peers[id] = nil
        departed.keepRates(of: peer)
        if !peer.isHidden { departed.add(id) }
        store.forget(id)
        emit(.releaseMedia(id))
        noteLeaving(peer, reason, message: message)
        if peer.isVisible {
            if !peer.isQuiet { tell(everybody(except: id), .peerLeft(peer)) }
            withdraw(peer.tracks, of: peer, from: subscribers(of: peer))
            emit(.refreshPreviews)
        }
        endSessionIfEmpty()
    }

    /// A peer requested the removal of another.
    public mutating func removalRequested(
        of target: PeerID, by id: PeerID, reason: String, at now: Instant
    ) throws(RoomError) {
        try require(.removeOthers, of: id)
        try Check.bytes(reason, field: "reason", maximum: RoomLimits.descriptionBytes)
        let peer = try member(target)
        try spendFanOut(of: id, at: now)
        remove(peer, by: id, reason: reason)
    }

    mutating func remove(_ peer: Peer, by id: PeerID?, reason: String) {
        emit(.dismiss([peer], Dismissal(requester: id, reason: reason, isRoomEnd: false)))
        left(peer.id, .removed, message: reason)
    }

    /// A peer requested the end of the room.
    public mutating func endRequested(
        by id: PeerID, lock: Bool, reason: String, at now: Instant
    ) throws(RoomError) {
        try require(.endRoom, of: id)
        try Check.bytes(reason, field: "reason", maximum: RoomLimits.descriptionBytes)
        try spendFanOut(of: id, at: now)
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
            isLocked = true
            emit(.noted(.roomLocked))
        }
        if because == .roomEnded {
            let requester = id.flatMap { peers[$0] }
            emit(
                .noted(
                    .roomEnded(
                        session: isSessionNoted ? session : nil, by: requester,
                        isLocked: isLocked, reason: reason)))
        }
        let gone = Array(peers.values).inOrder
        emit(.dismiss(gone, Dismissal(requester: id, reason: reason, isRoomEnd: true)))
        for peer in gone { departed.keepRates(of: peer) }
        for peer in gone where peer.hasJoined {
            emit(.releaseMedia(peer.id))
            noteLeaving(peer, because, message: reason)
        }
        peers = [:]
        emit(.refreshPreviews)
        endSessionIfEmpty()
    }

    /// The operator locked the room. Present peers stay.
    public mutating func locked() { isLocked = true }

    /// The operator unlocked the room.
    public mutating func unlocked() { isLocked = false }

    private mutating func noteLeaving(_ peer: Peer, _ reason: LeaveReason, message: String) {
        guard let session, !peer.isHidden else { return }
        emit(.noted(.peerLeft(peer, session, reason, message: message)))
    }

    private mutating func endSessionIfEmpty() {
        guard peers.isEmpty else { return }
        if let session, isSessionNoted { emit(.noted(.sessionClosed(session))) }
        isSessionNoted = false
        session = nil
        isLarge = false
        departed.sessionEnded()
        recentEvents = RecentEvents()
        store = SessionStore()
        polls = Polls()
        streaming.sessionEnded()
    }

    // MARK: - Effects

    mutating func emit(_ effect: RoomEffect) { effects.append(effect) }

    mutating func tell(_ recipients: [PeerID], _ event: RoomEvent) {
        guard !recipients.isEmpty else { return }
        emit(.tell(recipients, event))
    }

    /// Tells the addressees; those that are away are told when they are back.
    mutating func say(_ event: RoomEvent, to addressees: Addressees, at now: Instant) {
        tell(candidates(of: addressees.audience).filter(addressees.include).reachable, event)
        recentEvents.add(event, for: addressees, at: now, limits: limits)
    }

    /// The possible addressees: for a single one, the other peers need not be examined.
    private func candidates(of audience: Audience) -> [Peer] {
        switch audience {
        case .everybody, .roles: joined
        case .peer(let id): [peers[id]].compactMap(\.self)
        }
    }

    mutating func resubscribe(_ subscribers: [Peer]) {
        for subscriber in subscribers { emit(.resubscribe(subscriber.id)) }
    }

    mutating func makeIdentifier() -> String { Hexadecimal.identifier(using: &random) }
}
