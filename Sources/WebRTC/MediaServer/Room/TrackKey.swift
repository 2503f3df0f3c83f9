import MediaKernel

/// A track by who sends it and what its sender calls it: peers choose the names of their tracks, and may
/// choose another one's.
struct TrackKey: Hashable {
    let id: TrackID
    let publisher: PeerID

    init(_ id: TrackID, of publisher: PeerID) {
        self.id = id
        self.publisher = publisher
    }

    init(_ wanted: WantedTrack) { self.init(wanted.publishedID, of: wanted.publisher) }
}
