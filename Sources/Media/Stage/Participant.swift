public import MediaKernel

/// A person, or a screen that a person shares, as a layout sees it.
public struct Participant: Hashable, Sendable {
    public var peer: PeerID
    /// The video track that fills the tile; nil for the placeholder.
    public var track: TrackID?
    public var name: String
    /// Counts up with every join; a peer keeps its number through reconnections.
    public var joinedOrder: Int
    public var role: String
    /// A shared screen, or another presented video, is a participant of its own beside its peer.
    public var isScreen: Bool
    /// Of a screen: counts up with every screen that starts.
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
