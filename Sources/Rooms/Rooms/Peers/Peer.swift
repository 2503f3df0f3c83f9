public import MediaKernel

/// A participant: a person, a publisher, a bot.
public struct Peer: Hashable, Sendable {
    /// Chosen by the client, for the whole session, reconnections included.
    public let id: PeerID
    /// From the token.
    public let userID: String
    /// Of the token with which it joined.
    public let tokenID: String
    public internal(set) var role: String
    /// As its role is, or as it asked for when it joined.
    public let isHidden: Bool
    public var name: String
    /// 100ms: `data`.
    public var metadata: String
    /// Grows by one a join; the order in which peers are listed.
    public let joinedOrder: Int
    public internal(set) var joinedAt: UnixTime
    /// Sorted, each once.
    public internal(set) var groups: [String] = []
    /// In the order in which they were published.
    public internal(set) var tracks: [Track] = []
    /// Since when each of them is published.
    public internal(set) var startedAt: [TrackID: UnixTime] = [:]

    /// Tracks that it may not publish, newest last: a role change took them away, or its offer was
    /// taken without them. Its client goes on to name them until it has taken them out of its offers
    /// one by one, which is no fault of it. They have its own ids.
    var withdrawn: [TrackID] = []
    /// Tracks of which it said something that others have not been told yet.
    var untold: Set<TrackID> = []
    /// Oldest first.
    var roleOffers: [RoleOffer] = []
    var phase: Phase = .admitted
    /// What it may not have heard, as of the last time that its socket was lost.
    var unheard: Unheard?
    var media: Media = .awaited
    /// The room was large when it joined, and is yet.
    var cameLate = false
    /// Others are not told of it, since it only watches.
    public internal(set) var isQuiet = false
    /// Neither its socket nor its media are there: others take it for gone until it is back.
    var isGhost = false
    var rates: RequestRates

    /// ```
    /// joinRequested ─► admitted ─ joinCompleted ─► present ─ connectionLost ─► lost
    ///                     │                        │   ▲                        │    │
    ///      joinAbandoned, │                   left │   └── connectionReturned ──┘    │ left,
    ///      connectionLost ▼                        ▼                               ▼ handleTimeout
    ///                    gone                     gone                            gone
    /// ```
    enum Phase: Hashable, Sendable {
        /// Holds a place; nobody knows of it while its media is being set up.
        case admitted
        case present
        /// Its socket was lost. It keeps its place and its tracks until the instant.
        case lost(since: Instant, until: Instant)
    }

    /// Where that begins which a peer may not have heard.
    struct Unheard: Hashable, Sendable {
        /// What was told later; never after its socket was lost.
        var since: Instant
        /// The number of the first of the room's ``RecentEvents``. Taken when the socket was lost:
        /// by the instant alone, what came at that very instant would be taken for heard.
        var firstEvent: Int
    }

    /// What is known of the connection by which the peer sends media.
    enum Media: Hashable, Sendable {
        /// It may yet work.
        case awaited
        case works
        /// It has not worked, …
        case absent(since: Instant)
        /// … or not any more.
        case broken(since: Instant)
    }

    /// Whether the peer has joined, be its socket there or not.
    public var hasJoined: Bool { phase != .admitted }

    /// Whether a message would reach it.
    public var isReachable: Bool { phase == .present }

    /// Whether it has joined and a message would not reach it.
    var isAway: Bool { hasJoined && !isReachable }

    /// Whether it is away, and a peer of that user may be the same client with another id.
    func isReplaceable(by user: String) -> Bool { isAway && !user.isEmpty && userID == user }

    /// Whether its media has stopped, where there was any.
    public var isMediaBroken: Bool {
        switch media {
        case .broken: true
        case .awaited, .works, .absent: false
        }
    }

    /// Who may speak for it.
    public var owner: TokenOwner { TokenOwner(userID: userID, tokenID: tokenID) }

    /// Whether it has a place of which everybody may know.
    var isMember: Bool { hasJoined && !isHidden }

    /// Whether everybody may know that it is here.
    var isVisible: Bool { isMember && !isGhost }

    func track(_ id: TrackID) -> Track? { tracks.first { $0.id == id } }

    /// The one that it calls so itself.
    public func track(published id: TrackID) -> Track? { tracks.first { $0.publishedID == id } }

    /// Keeps an offer in the place of those that are over, and of the oldest past the maximum.
    mutating func take(_ offer: RoleOffer, maximum: Int, at now: Instant) {
        roleOffers.removeAll { $0.until <= now }
        roleOffers = (roleOffers + [offer]).suffix(maximum)
    }

    /// Takes away what it is to publish no more, and remembers so many of it by id.
    ///
    /// - Returns: what was published until now.
    mutating func withdrawTracks(
        remembering maximum: Int, where isGone: (Track) -> Bool
    ) -> [Track] {
        let gone = tracks.filter(isGone)
        tracks.removeAll(where: isGone)
        for track in gone { startedAt[track.id] = nil }
        remember(withdrawn: gone.map(\.publishedID), maximum: maximum)
        return gone
    }

    /// Remembers tracks that it may not publish: so many of the newest. Ids too long to be one are
    /// passed over.
    mutating func remember(withdrawn ids: [TrackID], maximum: Int) {
        let identifiers = ids.filter { $0.rawValue.utf8.count <= RoomLimits.identifierBytes }
        let newest = Set(identifiers.suffix(maximum))
        withdrawn.removeAll(where: newest.contains)
        withdrawn = (withdrawn + identifiers).suffix(maximum)
    }
}

extension [Peer] {
    /// The ids of those whom a message would reach.
    var reachable: [PeerID] { filter(\.isReachable).map(\.id) }

    /// As they joined.
    var inOrder: [Peer] { sorted { $0.joinedOrder < $1.joinedOrder } }
}

/// What a client and its token say when it joins.
public struct JoinRequest: Hashable, Sendable {
    public var peer: PeerID
    public var userID: String
    public var tokenID: String
    public var role: String
    public var name: String
    public var metadata: String
    /// It only watches: others do not hear of it, whatever its role is.
    public var isHidden: Bool

    public init(
        peer: PeerID, userID: String, tokenID: String = "", role: String, name: String,
        metadata: String = "", isHidden: Bool = false
    ) {
        self.peer = peer
        self.userID = userID
        self.tokenID = tokenID
        self.role = role
        self.name = name
        self.metadata = metadata
        self.isHidden = isHidden
    }
}
