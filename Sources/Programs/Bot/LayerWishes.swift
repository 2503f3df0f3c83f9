import MediaKernel
import Pipeline
import RemoteRoom
import Stage

/// Which layer of which video the recorder needs. The picture needs for what is on the canvas the
/// smallest one that fills its tile without being enlarged, of everything else nothing. Where
/// another taker needs a better one, that is asked for.
///
/// Every change gives what is to be asked for that was not asked for before. Sound is
/// `SoundWishes`' matter: who speaks is heard, on the canvas or not.
struct LayerWishes {
    struct Wish: Hashable {
        var track: TrackID
        var layer: LayerPreference
    }

    /// Who takes the frames of a video.
    enum Taker: Hashable {
        case picture
        /// A file of that track.
        case file
    }

    /// Videos in the room.
    private var videos: Set<TrackID> = []
    /// The largest tile that each video has; nil before the first layout.
    private var places: [TrackID: PlacedTile]?
    /// Videos that the latest layout knew, whether or not it shows them.
    private var laidOut: Set<TrackID> = []
    private var layers: [TrackID: [TrackLayers.Layer]] = [:]
    private var demands = LayerDemands<Taker>()
    private var asked: [TrackID: LayerPreference] = [:]

    /// These videos are in the room, and no others. What is new comes as it is until a layout
    /// knows it: to refuse it and then to ask for it would cost a key frame.
    mutating func roomChanged(videos: Set<TrackID>) {
        self.videos = videos
        layers = layers.filter { videos.contains($0.key) }
        // The server forgets what was asked of a track that ended; so must we.
        asked = asked.filter { videos.contains($0.key) }
        demands.keep(videos)
    }

    /// - Parameters:
    ///   - tiles: where videos are seen, still or soon.
    ///   - known: the videos from which the layout chose.
    mutating func tilesChanged(_ tiles: [PlacedTile], among known: Set<TrackID>) -> [Wish] {
        func area(_ tile: PlacedTile) -> Int { tile.rectangle.width * tile.rectangle.height }
        var places: [TrackID: PlacedTile] = [:]
        for tile in tiles {
            guard let track = tile.track else { continue }
            if let other = places[track], area(other) >= area(tile) { continue }
            places[track] = tile
        }
        self.places = places
        laidOut = known
        return changes()
    }

    mutating func layersChanged(_ tracks: [TrackLayers]) -> [Wish] {
        for track in tracks where videos.contains(track.track) {
            layers[track.track] = track.layers
        }
        return changes()
    }

    /// - Parameter layer: nil for a taker that does not take the track any more.
    mutating func want(
        _ layer: LayerPreference?, of track: TrackID, for taker: Taker
    ) -> [Wish] {
        guard videos.contains(track) else { return [] }
        demands.set(layer, of: track, for: taker)
        return changes()
    }

    private mutating func changes() -> [Wish] {
        guard let places else { return [] }
        var wishes: [Wish] = []
        for track in videos.intersection(laidOut).sorted() {
            let seen = places[track].map { wanted(of: track, for: $0) } ?? .none
            demands.set(seen, of: track, for: .picture)
            guard let layer = demands.layer(of: track), asked[track] != layer else { continue }
            asked[track] = layer
            wishes.append(Wish(track: track, layer: layer))
        }
        return wishes
    }

    private func wanted(of track: TrackID, for tile: PlacedTile) -> LayerPreference {
        let known = (layers[track] ?? []).filter { $0.name != .none }
            .sorted { ($0.width * $0.height) < ($1.width * $1.height) }
        let fitting = known.first {
            let (width, height) = tile.isSideways ? ($0.height, $0.width) : ($0.width, $0.height)
            let coversWidth = width >= tile.rectangle.width
            let coversHeight = height >= tile.rectangle.height
            return switch tile.fit {
            case .crop: coversWidth && coversHeight
            // The other side is made to fit by making the whole picture smaller.
            case .letterbox: coversWidth || coversHeight
            }
        }
        return fitting?.name ?? .high
    }
}
