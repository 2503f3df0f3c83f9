import MediaKernel
import RemoteRoom

/// Which layer of each video is wanted: the best of what its takers want.
struct LayerDemands<Taker: Hashable> {
    private var demands: [TrackID: [Taker: LayerPreference]] = [:]

    /// - Parameter layer: nil where the taker does not say any more what it wants.
    mutating func set(_ layer: LayerPreference?, of track: TrackID, for taker: Taker) {
        demands[track, default: [:]][taker] = layer
        if demands[track]?.isEmpty == true { demands[track] = nil }
    }

    /// Nil while no taker has said.
    func layer(of track: TrackID) -> LayerPreference? { demands[track]?.values.max() }

    /// Forgets all other tracks.
    mutating func keep(_ tracks: Set<TrackID>) {
        demands = demands.filter { tracks.contains($0.key) }
    }
}
