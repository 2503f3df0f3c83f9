import MediaKernel
import RemoteRoom

/// Which layer of each video is needed: the best that any taker wants.
struct LayerDemands<Taker: Hashable> {
    private var demands: [TrackID: [Taker: LayerPreference]] = [:]

    /// - Parameter layer: nil if the taker withdraws its demand.
    mutating func set(_ layer: LayerPreference?, of track: TrackID, for taker: Taker) {
        demands[track, default: [:]][taker] = layer
        if demands[track]?.isEmpty == true { demands[track] = nil }
    }

    /// Nil if no taker has a demand.
    func layer(of track: TrackID) -> LayerPreference? { demands[track]?.values.max() }

    /// Forgets all other tracks.
    mutating func keep(_ tracks: Set<TrackID>) {
        demands = demands.filter { tracks.contains($0.key) }
    }
}
