/// The limits of a room. Each maximum is far above what people need and far below what hurts.
public struct RoomLimits: Hashable, Sendable {
    /// Peers in a room at once, hidden ones included but for the first `hiddenPlaces`.
    public var peers = 1500
    /// Of them, visible ones; nil where `peers` is the only limit.
    public var visiblePeers: Int?
    /// From so many visible peers on, newcomers who may only watch are told to nobody: what a join
    /// costs the others stays the same however many come.
    public var largeRoomPeers = 250
    /// They are shown to all again when fewer than these are left. A fifth lower, so that a room
    /// that is about that large is not another one all the time.
    var smallRoomPeers: Int { largeRoomPeers - largeRoomPeers / 5 }
    /// Tracks that one peer publishes at once: camera, microphone, screen, its sound, and spares.
    public var tracksPerPeer = 16
    /// How long a peer whose socket was lost keeps its place. The 100ms client tries for 60 s.
    public var absence: Duration = .seconds(60)
    /// How long a peer without a socket is shown when its media is gone too. A client that only
    /// has to open another socket is back sooner.
    public var shownAbsence: Duration = .seconds(10)
    /// How long a peer may think about a role that it was offered.
    public var roleOfferLifetime: Duration = .seconds(300)
    /// Requests that reach other peers: so many a second for long …
    public var fanOutPerSecond = 20
    /// … and so many at once.
    public var fanOutBurst = 100
    /// Requests that read what the room holds: so many a second for long …
    public var readsPerSecond = 100
    /// … and so many at once. Whoever comes to a room of `polls` and `storeKeys` reads them all.
    public var readsBurst = 500
    /// What was said and asked lately and is kept for those who may not have heard it: so many …
    public var recentEvents = 512
    /// … and about so many bytes.
    public var recentBytes = 1024 * 1024

    public init() {}

    /// Hidden peers that have a place besides: a room that is full can be recorded.
    public static let hiddenPlaces = 16
    /// In Unicode scalars: a peer's name, a role's name.
    public static let nameScalars = 256
    /// In bytes of UTF-8: a peer's metadata (100ms: `data`).
    public static let metadataBytes = 8192
    /// In bytes of UTF-8: one broadcast's body.
    public static let messageBytes = 8192
    /// In bytes of UTF-8: a broadcast's type, a track's source, a group's name.
    public static let wordBytes = 128
    /// In bytes of UTF-8: a track's description, a reason.
    public static let descriptionBytes = 1024
    /// In bytes of UTF-8: ids that a client chose.
    public static let identifierBytes = 128
    /// Roles that one broadcast, or one request to peers, may be addressed to.
    public static let rolesPerMessage = 100
    /// Roles that are offered to one peer at once; the oldest offer is forgotten.
    public static let roleOffersPerPeer = 16
    /// Peers that left a session of whom that is still known; it is forgotten of the oldest. And
    /// owners of tokens who left of whom it is known how much they may ask: of no more.
    public static let departedPeers = 1000
    /// Groups that one peer is in.
    public static let groupsPerPeer = 16
    /// Names of groups in a session.
    public static let groups = 100
    /// Peers on one page of a search.
    public static let searchPage = 100
    /// Keys in a session's store.
    public static let storeKeys = 100
    /// In bytes of UTF-8: one value in a session's store.
    public static let storeValueBytes = 8192
    /// Polls of a session. The oldest that is over makes room for another one, or else the oldest
    /// draft.
    public static let polls = 50
    /// Questions of a poll; clients of 100ms ask for no more.
    public static let pollQuestions = 50
    public static let pollOptions = 50
    /// In bytes of UTF-8: a poll's title, a question, an option, a right answer.
    public static let pollTextBytes = 2048
    /// In bytes of UTF-8: all that the questions of a poll say.
    public static let pollBytes = 64 * 1024
    /// In Unicode scalars: an answer in words.
    public static let pollAnswerScalars = 4096
    /// The weight of a question or an option.
    public static let pollWeight = 10_000
    /// How long a poll runs, and a question is shown.
    public static let pollSeconds = 86_400
    /// In bytes: what the polls of a session hold. The oldest that are over make room.
    public static let pollHoldingBytes = 32 * 1024 * 1024
    /// Polls, questions, or answers on one page.
    public static let pollPage = 50
    /// Entries on one page of a leaderboard.
    public static let pollLeaderboardPage = 200
    /// Quiet peers that are shown to all at a time: each is one frame for everybody.
    static let shownAtOnce = 50
    /// For so long a peer may have heard nothing before its socket is known to be lost.
    static let unheard: Duration = .seconds(60)
    /// Variants that a room streams at once.
    public static let variants = 16
}
