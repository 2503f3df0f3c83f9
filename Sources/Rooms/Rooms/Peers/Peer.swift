public import MediaKernel

/// A participant: a person, a publisher, a bot.
public struct Peer: Hashable, Sendable {
    /// Chosen by the client, for the whole session, including reconnections.
    public let id: PeerID
    /// From the token.
    public let userID: String
    /// Of the token with which it joined.
    public let tokenID: String
    public internal(set) var role: String
    /// Its role is hidden, or it asked for it when it joined.
    public let isHidden: Bool
    public var name: String
    /// The client's own data.
    public var metadata: String
    /// Increases by one with each join; the order in which peers are listed.
    public let joinedOrder: Int
    public internal(set) var joinedAt: UnixTime
    /// Sorted, each once.
    public internal(set) var groups: [String] = []
    public internal(set) var isHandRaised = false
    /// In the order of publication.
    public internal(set) var tracks: [Track] = []
    /// Since when each track has been published.
    public internal(set) var startedAt: [TrackID: UnixTime] = [:]

    /// Tracks that it may not publish, newest last: a role change removed them, or its offer was
    /// accepted without them. Its client goes on naming them until it has removed them from its
    /// offers one by one, which is no error. The ids are the client's own.
    var withdrawn: [TrackID] = []
    /// Tracks with changes that others have not been told yet.
    var untold: Set<TrackID> = []
    /// Oldest first.
    var roleOffers: [RoleOffer] = []
    var presence = Presence()
    /// The room was large when it joined, and still is.
    var cameLate = false
    /// Others are not told about it, since it only watches.
    public internal(set) var isQuiet = false
    var rates: RequestRates

    /// Whether the peer has joined, whether or not its socket is connected.
    public var hasJoined: Bool { presence.phase != .admitted }

    /// Whether a message would reach it.
    public var isReachable: Bool { presence.phase == .present }

    /// Whether it has joined and a message would not reach it.
    var isAway: Bool { hasJoined && !isReachable }

    /// Whether it is away, and a peer of that user may be the same client with another id.
    func isReplaceable(by user: String) -> Bool { isAway && !user.isEmpty && userID == user }

    /// Whether its media has stopped after it had worked.
    public var isMediaBroken: Bool {
        switch presence.media {
        case .broken: true
        case .awaited, .works, .absent: false
        }
    }

    /// The token owner that may act for it.
    public var owner: TokenOwner { TokenOwner(userID: userID, tokenID: tokenID) }

    /// Whether others may know about its place.
    var isMember: Bool { hasJoined && !isHidden }

    /// Whether others may know that it is here.
    var isVisible: Bool { isMember && !presence.isGhost }

    /// When others are told that it is gone, once both its socket and its media are lost.
    ///
    /// - Parameter shown: how long a peer without a socket is shown at least.
    func disappearance(shown: Duration) -> Instant? {
        isVisible ? presence.disappearance(shown: shown) : nil
    }

    func track(_ id: TrackID) -> Track? { tracks.first { $0.id == id } }

    /// The track with this published id.
    public func track(published id: TrackID) -> Track? { tracks.first { $0.publishedID == id } }

    /// Stores an offer, and drops expired ones, and the oldest beyond the maximum.
    mutating func take(_ offer: RoleOffer, maximum: Int, at now: Instant) {
        roleOffers.removeAll { $0.until <= now }
        roleOffers = (roleOffers + [offer]).suffix(maximum)
    }

    /// Removes tracks that it may not publish any more, and remembers their ids up to a maximum.
    ///
    /// - Returns: the tracks published until now.
    mutating func withdrawTracks(
        remembering maximum: Int, where isGone: (Track) -> Bool
    ) -> [Track] {
        let gone = tracks.filter(isGone)
        tracks.removeAll(where: isGone)
        for track in gone { startedAt[track.id] = nil }
        remember(withdrawn: gone.map(\.publishedID), maximum: maximum)
        return gone
    }

    /// Remembers tracks that it may not publish: the newest, up to a maximum. Ids that are too long
    /// are ignored.
    mutating func remember(withdrawn ids: [TrackID], maximum: Int) {
        let identifiers = ids.filter { $0.rawValue.utf8.count <= RoomLimits.identifierBytes }
        let newest = Set(identifiers.suffix(maximum))
        withdrawn.removeAll(where: newest.contains)
        withdrawn = (withdrawn + identifiers).suffix(maximum)
    }
}

extension [Peer] {
    /// The ids of the peers that a message would reach.
    var reachable: [PeerID] { filter(\.isReachable).map(\.id) }

    /// In the order of joining.
    var inOrder: [Peer] { sorted { $0.joinedOrder < $1.joinedOrder } }
}

/// A client's and its token's data for joining.
public struct JoinRequest: Hashable, Sendable {
    public var peer: PeerID
    public var userID: String
    public var tokenID: String
    public var role: String
    public var name: String
    public var metadata: String
    /// It only watches: others are not told about it, whatever its role.
    public var isHidden: Bool
    /// The other peers of its user, if it has one, lose their places once it has joined.
    public var kicksSiblings: Bool

    var owner: TokenOwner { TokenOwner(userID: userID, tokenID: tokenID) }

    public init(
        peer: PeerID, userID: String, tokenID: String = "", role: String, name: String,
        metadata: String = "", isHidden: Bool = false, kicksSiblings: Bool = false
    ) {
        self.peer = peer
        self.userID = userID
        self.tokenID = tokenID
        self.role = role
        self.name = name
        self.metadata = metadata
        self.isHidden = isHidden
        self.kicksSiblings = kicksSiblings
    }
}
