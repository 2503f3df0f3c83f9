public import MediaKernel

/// The peers of a room, what each may see and do, and whether more may come.
///
/// Tells nobody anything: ``Room`` does that.
public struct RoomPeers: Sendable {
    let policy: Policy
    let limits: RoomLimits
    /// A locked room admits no new peers but the recorder, which comes for the present ones.
    var isLocked: Bool
    var departed = DepartedPeers()
    public internal(set) var moderation = Moderation()
    private var byID: [PeerID: Peer] = [:]
    private var joins = 0

    init(policy: Policy, limits: RoomLimits, isLocked: Bool) {
        self.policy = policy
        self.limits = limits
        self.isLocked = isLocked
    }

    /// The peer with that id, hidden or not, once it has a place.
    public internal(set) subscript(id: PeerID) -> Peer? {
        get { byID[id] }
        _modify { yield &byID[id] }
    }

    // MARK: - Coming and going

    /// A client came to the door with a token: checks whether it may join at all. A present peer is
    /// the same client on a new socket, and so must have the same token.
    public func checkArrival(_ id: PeerID, of owner: TokenOwner, role: String) throws(RoomError) {
        try Check.identifier(id.rawValue, field: "peer id")
        guard let role = policy.role(role) else { throw .unknownRole(role) }
        if let peer = byID[id] {
            guard peer.owner.isSame(as: owner) else { throw .peerIDTaken(id) }
        } else {
            try checkLock(for: role)
        }
    }

    private func checkLock(for role: Role) throws(RoomError) {
        guard !isLocked || role.isHidden else { throw .roomLocked }
    }

    /// Gives a newcomer a place, and the request rates that its owner has left.
    ///
    /// - Returns: the absent peers that lose their places to it. They are still here.
    mutating func admit(_ request: JoinRequest, at now: Instant) throws(RoomError) -> [Peer] {
        try Check.identifier(request.peer.rawValue, field: "peer id")
        try Check.description(name: request.name, metadata: request.metadata)
        guard let role = policy.role(request.role) else { throw .unknownRole(request.role) }
        guard byID[request.peer] == nil else { throw .alreadyJoined(request.peer) }
        try checkLock(for: role)
        let isHidden = role.isHidden || request.isHidden
        let replaced = try replaceable(by: request, as: role, isHidden: isHidden)
        var rates =
            departed.rates[request.owner]
            ?? replaced.first { $0.owner.isSame(as: request.owner) }?.rates
            ?? RequestRates(limits, at: now)
        guard rates.fanOut.take(at: now) else {
            throw .tooManyRequests(perSecond: limits.fanOutPerSecond)
        }
        joins += 1
        departed.remove(request.peer)
        byID[request.peer] = Peer(
            id: request.peer, userID: request.userID, tokenID: request.tokenID, role: role.name,
            isHidden: isHidden, name: request.name, metadata: request.metadata,
            joinedOrder: joins, joinedAt: UnixTime(milliseconds: 0), rates: rates)
        return replaced
    }

    /// Removes a peer, and remembers it and its request rates.
    mutating func remove(_ peer: Peer) {
        byID[peer.id] = nil
        moderation.forget(peer.id)
        departed.keepRates(of: peer)
        if peer.isMember { departed.add(peer.id) }
    }

    /// Removes all peers, and remembers their request rates.
    mutating func removeAll() {
        for peer in inOrder { departed.keepRates(of: peer) }
        byID = [:]
    }

    /// Whether the peer was in this session and has lost its place.
    public func hasLeft(_ id: PeerID) -> Bool { byID[id] == nil && departed.contains(id) }

    // MARK: - Who is there

    /// There are no peers, including hidden ones, and none is joining.
    var isEmpty: Bool { byID.isEmpty }

    /// In no order.
    var all: Dictionary<PeerID, Peer>.Values { byID.values }

    /// All peers, in the order of joining.
    var inOrder: [Peer] { Array(byID.values).inOrder }

    /// The peers that have joined, including hidden ones, in the order of joining.
    var joined: [Peer] { byID.values.filter(\.hasJoined).inOrder }

    /// The visible peers, in the order of joining.
    public var visible: [Peer] { joined.filter(\.isVisible) }

    public var hasVisible: Bool { byID.values.contains(where: \.isVisible) }

    /// Of the visible peers with one of these names, the one that joined first.
    public func visible(named names: [String]) -> Peer? {
        byID.values.lazy.filter { $0.isVisible && names.contains($0.name) }
            .min { $0.joinedOrder < $1.joinedOrder }
    }

    /// The number of peers that the room reports. Hidden ones do not count.
    public var visibleCount: Int { byID.values.count { $0.isVisible } }

    /// The number of published tracks.
    public var trackCount: Int {
        byID.values.reduce(0) { $0 + ($1.isVisible ? $1.tracks.count : 0) }
    }

    /// A peer that others may know about.
    ///
    /// - Throws: ``RoomError/peerGone(_:)`` for a peer that has left; ``RoomError/unknownPeer(_:)``
    ///   for a hidden one, and one that is gone for others, as for one that never existed.
    public func visiblePeer(_ id: PeerID) throws(RoomError) -> Peer {
        guard let peer = byID[id], peer.isVisible else { throw absence(of: id) }
        return peer
    }

    /// A peer that may be removed or asked for something, including one that is gone for others,
    /// since it may come back.
    ///
    /// - Throws: as ``visiblePeer(_:)``.
    func member(_ id: PeerID) throws(RoomError) -> Peer {
        guard let peer = byID[id], peer.isMember else { throw absence(of: id) }
        return peer
    }

    private func absence(of id: PeerID) -> RoomError {
        hasLeft(id) ? .peerGone(id) : .unknownPeer(id)
    }

    /// A peer that has joined.
    func joinedPeer(_ id: PeerID) throws(RoomError) -> Peer {
        guard let peer = byID[id], peer.hasJoined else { throw .notJoined(id) }
        return peer
    }

    /// Whether an otherwise valid, expired token still admits the peer: it is here, and joined with
    /// this token.
    public func isHere(_ id: PeerID, of owner: TokenOwner) -> Bool {
        guard let peer = byID[id], peer.hasJoined else { return false }
        return peer.owner.isSame(as: owner)
    }

    /// The peers whose deadline is over, in the order of joining.
    func due(_ deadline: (Peer) -> Instant?, at now: Instant) -> [Peer] {
        byID.values.filter { peer in deadline(peer).map { $0 <= now } ?? false }.inOrder
    }

    // MARK: - Who sees whom

    /// The peers that all others are told about, in the order of joining.
    public var listed: [Peer] { visible.filter { !$0.isQuiet } }

    /// The other peers that this one is told about, in the order of joining. Their tracks are those
    /// that it receives.
    public func listed(for id: PeerID) -> [Peer] {
        listed.filter { $0.id != id }.map { publisher in
            var seen = publisher
            if let viewer = byID[id], !receives(viewer, from: publisher) { seen.tracks = [] }
            return seen
        }
    }

    /// Whether a peer that joined while the room was large is to be quiet.
    func isOfNoInterest(_ peer: Peer) -> Bool {
        let publishes = policy.role(peer.role)?.publishParams.allowed.isEmpty == false
        return !publishes && !peer.isHandRaised
    }

    /// The publishing peers, in the order of joining.
    public var publishers: [Peer] {
        byID.values.filter { $0.isVisible && !$0.tracks.isEmpty }.inOrder
    }

    /// The peers whose tracks this peer receives, in the order of joining.
    func publishers(for viewer: Peer) -> [Peer] {
        publishers.filter { receives(viewer, from: $0) }
    }

    /// Whether one peer receives another's tracks: its role subscribes to the other's.
    public func receives(_ viewer: Peer, from publisher: Peer) -> Bool {
        guard viewer.hasJoined, publisher.isVisible, viewer.id != publisher.id,
            let role = policy.role(viewer.role)
        else { return false }
        return role.subscribeParams.subscribeToRoles.contains(publisher.role)
    }

    /// Whether a peer receives that track.
    public func receives(_ viewer: Peer, _ track: TrackID) -> Bool {
        byID.values.contains { $0.track(track) != nil && receives(viewer, from: $0) }
    }

    /// The peers that receive this peer's tracks, in the order of joining.
    public func subscribers(of publisher: Peer) -> [Peer] {
        joined.filter { receives($0, from: publisher) }
    }

    /// The peers that a message would reach, in the order of joining.
    func reachable(except id: PeerID? = nil) -> [PeerID] {
        joined.filter { $0.isReachable && $0.id != id }.map(\.id)
    }

    /// The possible addressees of a message. For a single one, the other peers need not be examined.
    func candidates(of audience: Audience) -> [Peer] {
        switch audience {
        case .everybody, .roles: joined
        case .peer(let id): [byID[id]].compactMap(\.self)
        }
    }

    // MARK: - What they may do

    /// Checks that a peer's role grants a permission.
    public func require(_ permission: Permission, of id: PeerID) throws(RoomError) {
        let peer = try joinedPeer(id)
        guard let role = policy.role(peer.role) else { throw .unknownRole(peer.role) }
        // Actions of a hidden peer would reveal it.
        guard !peer.isHidden, permission.isGranted(by: role.permissions) else {
            throw .missingPermission(permission, role: peer.role)
        }
    }

    /// Whether one more request of a peer may notify others now. Does not use up a request.
    public func checkFanOut(of id: PeerID, at now: Instant) throws(RoomError) {
        var rates = byID[id]?.rates
        guard rates?.fanOut.take(at: now) ?? false else {
            throw .tooManyRequests(perSecond: limits.fanOutPerSecond)
        }
    }

    mutating func spendFanOut(of id: PeerID, at now: Instant) throws(RoomError) {
        guard byID[id]?.rates.fanOut.take(at: now) ?? false else {
            throw .tooManyRequests(perSecond: limits.fanOutPerSecond)
        }
    }

    mutating func spendRead(of id: PeerID, at now: Instant) throws(RoomError) {
        guard byID[id]?.rates.reads.take(at: now) ?? false else {
            throw .tooManyRequests(perSecond: limits.readsPerSecond)
        }
    }

    func checkAudience(_ audience: Audience) throws(RoomError) {
        switch audience {
        case .everybody: break
        case .roles(let names): try policy.checkVisible(names)
        case .peer(let target): _ = try visiblePeer(target)
        }
    }

    /// Checks whether a peer may join one more group.
    func checkGroup(_ group: String, of peer: Peer) throws(RoomError) {
        guard peer.groups.count < RoomLimits.groupsPerPeer else {
            throw .tooManyGroups(maximum: RoomLimits.groupsPerPeer)
        }
        let names = Set(byID.values.flatMap(\.groups))
        guard names.contains(group) || names.count < RoomLimits.groups else {
            throw .sessionGroupsFull(maximum: RoomLimits.groups)
        }
    }

    // MARK: - Polls

    /// A peer that may read polls, and its role.
    func pollReader(_ id: PeerID) throws(RoomError) -> (peer: Peer, role: Role) {
        let peer = try joinedPeer(id)
        guard let role = policy.role(peer.role) else { throw .unknownRole(peer.role) }
        guard !peer.isHidden, role.readsPolls else {
            throw .missingPermission(.pollRead, role: peer.role)
        }
        return (peer, role)
    }

    /// The peers that are told about polls, in the order of joining.
    var pollReaders: [PeerID] {
        let roles = Set(policy.roles.filter { !$0.isHidden && $0.readsPolls }.map(\.name))
        return reachable().filter { id in byID[id].map { roles.contains($0.role) } ?? false }
    }
}
