public import MediaKernel

/// Everything that one peer is to receive from now on.
public struct SubscriberTerms: Sendable, Hashable {
    public var peer: PeerID
    public var tracks: [TrackID]

    public init(peer: PeerID, tracks: [TrackID]) {
        self.peer = peer
        self.tracks = tracks
    }
}
