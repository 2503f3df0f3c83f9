import MediaKernel

/// A track by who sends it, too: peers choose the ids of their tracks, and may choose another one's.
struct TrackKey: Hashable {
    let id: TrackID
    let publisher: PeerID

    init(_ id: TrackID, of publisher: PeerID) {
        self.id = id
        self.publisher = publisher
    }
}
