public import MediaKernel

/// Everything that one peer is to receive from now on, and how.
public struct PeerSubscriptions: Sendable, Hashable {
    public var peer: PeerID
    public var tracks: [WantedTrack]
    /// Bits per second of all its audio and video; nil for as much as its way carries.
    public var bitsPerSecondMaximum: Int?
    /// When it gets fewer videos for the packets that its way loses; nil for never.
    public var lossDegradation: LossDegradationRule?

    public init(
        peer: PeerID, tracks: [WantedTrack], bitsPerSecondMaximum: Int? = nil,
        lossDegradation: LossDegradationRule? = nil
    ) {
        self.peer = peer
        self.tracks = tracks
        self.bitsPerSecondMaximum = bitsPerSecondMaximum
        self.lossDegradation = lossDegradation
    }
}

/// A track that a peer is to receive, and how much it matters among the others.
public struct WantedTrack: Sendable, Hashable {
    /// What it is called in the description of who receives it. No other track is called so.
    public var id: TrackID
    /// Whose track it is.
    public var publisher: PeerID
    /// What it is called in the description of its publisher.
    public var publishedID: TrackID
    /// What its publisher may send under that name: where it sends the other, nothing goes on.
    public var isVideo: Bool
    /// What its publisher is told to send of it; nil for nothing. See `TrackBudget`.
    public var statedBitsPerSecond: Int?
    public var importance: TrackImportance
    /// Nothing of it is forwarded for now, whatever the subscriber prefers.
    public var isHeldBack: Bool

    /// - Parameter publishedID: nil for the same as the id.
    public init(
        id: TrackID, publisher: PeerID, publishedID: TrackID? = nil, isVideo: Bool,
        statedBitsPerSecond: Int? = nil, importance: TrackImportance = .init(),
        isHeldBack: Bool = false
    ) {
        self.id = id
        self.publisher = publisher
        self.publishedID = publishedID ?? id
        self.isVideo = isVideo
        self.statedBitsPerSecond = statedBitsPerSecond
        self.importance = importance
        self.isHeldBack = isHeldBack
    }
}

/// What is served before what where a way does not carry all of it; the more important is less.
public struct TrackImportance: Sendable, Hashable, Comparable {
    /// Of the publisher's role: 1 (highest) to 5.
    public var priority: Int
    /// A screen goes before the cameras of the same priority.
    public var isScreen: Bool

    public init(priority: Int = 5, isScreen: Bool = false) {
        self.priority = priority
        self.isScreen = isScreen
    }

    public static func < (a: TrackImportance, b: TrackImportance) -> Bool {
        (a.priority, a.isScreen ? 0 : 1) < (b.priority, b.isScreen ? 0 : 1)
    }
}
