/// The limits of a room. Each maximum is far above people's needs and far below what does harm.
public struct RoomLimits: Hashable, Sendable {
    /// Peers in a room at once, including hidden ones except for the first `hiddenPlaces`.
    public var peers = 1500
    /// Visible peers among them; nil if `peers` is the only limit.
    public var visiblePeers: Int?
    /// From this many visible peers on, newcomers that may only watch are not announced: so a join
    /// costs the others the same however many there are.
    public var largeRoomPeers = 250
    /// Below this many peers, quiet ones are shown to all again. A fifth lower, so that a room of
    /// about that size does not switch all the time.
    var smallRoomPeers: Int { largeRoomPeers - largeRoomPeers / 5 }
    /// Tracks that one peer publishes at once: camera, microphone, screen, its sound, and spares.
    public var tracksPerPeer = 16
    /// How long a peer whose socket was lost keeps its place. Clients try for 60 s.
    public var absence: Duration = .seconds(60)
    /// How long a peer without a socket is shown when its media is gone too. A client that only
    /// has to open another socket is back sooner.
    public var shownAbsence: Duration = .seconds(10)
    /// How long an offered role stays open.
    public var roleOfferLifetime: Duration = .seconds(300)
    /// Requests that notify other peers, per second in the long run …
    public var fanOutPerSecond = 20
    /// … and in a burst.
    public var fanOutBurst = 100
    /// Requests that read the room's data, per second in the long run …
    public var readsPerSecond = 100
    /// … and in a burst. A newcomer in a room with `polls` and `storeKeys` reads them all.
    public var readsBurst = 500
    /// The most recent messages and requests that are kept for peers that may have missed them …
    public var recentEvents = 512
    /// … and their approximate size in bytes.
    public var recentBytes = 1024 * 1024

    public init() {}

    /// Additional places for hidden peers: a full room can still be recorded.
    public static let hiddenPlaces = 16
    /// In Unicode scalars: a peer's name, a role's name.
    public static let nameScalars = 256
    /// In bytes of UTF-8: a peer's metadata.
    public static let metadataBytes = 8192
    /// In bytes of UTF-8: one broadcast's body.
    public static let messageBytes = 8192
    /// The most recent messages whose senders are remembered, which may delete them.
    public static let deletableMessages = 1000
    /// In bytes of UTF-8: a broadcast's type, a track's source, a group's name.
    public static let wordBytes = 128
    /// In bytes of UTF-8: a track's description, a reason.
    public static let descriptionBytes = 1024
    /// In bytes of UTF-8: ids that a client chose.
    public static let identifierBytes = 128
    /// Roles that one broadcast or request may address.
    public static let rolesPerMessage = 100
    /// Open role offers to one peer; the oldest is dropped.
    public static let roleOffersPerPeer = 16
    /// The most departed peers that are remembered; the oldest are forgotten. And the most token
    /// owners whose request rates are kept after they have left.
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
    /// Polls of a session. The oldest ended one makes room for another, or else the oldest draft.
    public static let polls = 50
    /// Questions of a poll; clients request no more.
    public static let pollQuestions = 50
    public static let pollOptions = 50
    /// In bytes of UTF-8: a poll's title, a question, an option, a right answer.
    public static let pollTextBytes = 2048
    /// In bytes of UTF-8: all texts of a poll's questions.
    public static let pollBytes = 64 * 1024
    /// In Unicode scalars: a text answer.
    public static let pollAnswerScalars = 4096
    /// The weight of a question or an option.
    public static let pollWeight = 10_000
    /// How long a poll runs, and a question is shown.
    public static let pollSeconds = 86_400
    /// In bytes: the memory of a session's polls. The oldest ended ones make room.
    public static let pollHoldingBytes = 32 * 1024 * 1024
    /// Polls, questions, or answers on one page.
    public static let pollPage = 50
    /// Entries on one page of a leaderboard.
    public static let pollLeaderboardPage = 200
    /// Quiet peers that are shown to all at a time: each is one frame for every peer.
    static let shownAtOnce = 50
    /// For how long a peer may have missed everything before the loss of its socket is noticed.
    static let unheard: Duration = .seconds(60)
    /// Variants that a room streams at once.
    public static let variants = 16
}
