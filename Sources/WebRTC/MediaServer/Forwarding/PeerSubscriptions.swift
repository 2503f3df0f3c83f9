public import MediaKernel

/// The tracks that one peer receives from now on, and the limits.
public struct PeerSubscriptions: Sendable, Hashable {
    public var peer: PeerID
    public var tracks: [WantedTrack]
    /// The maximum of all its audio and video; nil for as much as its path carries.
    public var bitsPerSecondMaximum: Int?
    /// When packet loss reduces the number of videos; nil for never.
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

/// A track that a peer receives, and its importance.
public struct WantedTrack: Sendable, Hashable {
    /// The id in the subscriber's description, unique there.
    public var id: TrackID
    /// The publisher of the track.
    public var publisher: PeerID
    /// The id in the publisher's description.
    public var publishedID: TrackID
    /// The kind that the publisher may send under this id. A track of the other kind is not
    /// forwarded.
    public var isVideo: Bool
    /// The rate that the publisher is told to send; nil for none. See `TrackBudget`.
    public var statedBitsPerSecond: Int?
    public var importance: TrackImportance
    /// Suspends forwarding, whatever the subscriber prefers.
    public var isHeldBack: Bool
    /// The only connection that may carry the track; nil for any.
    public var connection: ConnectionKey?

    /// - Parameter publishedID: nil if equal to `id`.
    public init(
        id: TrackID, publisher: PeerID, publishedID: TrackID? = nil, isVideo: Bool,
        statedBitsPerSecond: Int? = nil, importance: TrackImportance = .init(),
        isHeldBack: Bool = false, connection: ConnectionKey? = nil
    ) {
        self.id = id
        self.publisher = publisher
        self.publishedID = publishedID ?? id
        self.isVideo = isVideo
        self.statedBitsPerSecond = statedBitsPerSecond
        self.importance = importance
        self.isHeldBack = isHeldBack
        self.connection = connection
    }

    func mayUse(_ key: ConnectionKey) -> Bool { connection.map { $0 == key } ?? true }
}

/// The order in which tracks get bandwidth if it is short; more important compares less.
public struct TrackImportance: Sendable, Hashable, Comparable {
    /// The priority of the publisher's role: 1 (highest) to 5.
    public var priority: Int
    /// A screen precedes the cameras of the same priority.
    public var isScreen: Bool

    public init(priority: Int = 5, isScreen: Bool = false) {
        self.priority = priority
        self.isScreen = isScreen
    }

    public static func < (a: TrackImportance, b: TrackImportance) -> Bool {
        (a.priority, a.isScreen ? 0 : 1) < (b.priority, b.isScreen ? 0 : 1)
    }
}
