import MediaKernel

/// Identifies a track by its publisher and the publisher's id for it. Publishers choose their ids,
/// so two publishers may choose the same one.
struct TrackKey: Hashable {
    let id: TrackID
    let publisher: PeerID

    init(_ id: TrackID, of publisher: PeerID) {
        self.id = id
        self.publisher = publisher
    }

    init(_ wanted: WantedTrack) { self.init(wanted.publishedID, of: wanted.publisher) }
}
