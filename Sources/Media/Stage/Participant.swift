public import MediaKernel

/// What a layout knows of somebody, or of a screen that somebody shares.
public struct Participant: Hashable, Sendable {
    public var peer: PeerID
    /// The video track that fills the tile, nil when the placeholder does.
    public var track: TrackID?
    public var name: String
    /// Counts up with every join; a peer keeps its number through reconnections.
    public var joinedOrder: Int
    public var role: String
    /// A shared screen, or another video that somebody presents, is a participant of its own
    /// beside the peer who does.
    public var isScreen: Bool
    /// Of a screen: counts up with every one that begins to be seen.
    public var startedOrder: Int

    public init(
        peer: PeerID, track: TrackID? = nil, name: String = "", joinedOrder: Int,
        role: String = "", isScreen: Bool = false, startedOrder: Int = 0
    ) {
        self.peer = peer
        self.track = track
        self.name = name
        self.joinedOrder = joinedOrder
        self.role = role
        self.isScreen = isScreen
        self.startedOrder = startedOrder
    }

    /// The order of joining. Peer and track break ties, so that equal rooms always look equal.
    static func precedes(_ a: Participant, _ b: Participant) -> Bool {
        if a.joinedOrder != b.joinedOrder { return a.joinedOrder < b.joinedOrder }
        if a.peer != b.peer { return a.peer < b.peer }
        return (a.track?.rawValue ?? "") < (b.track?.rawValue ?? "")
    }
}
