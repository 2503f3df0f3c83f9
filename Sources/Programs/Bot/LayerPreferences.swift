import MediaKernel
import Pipeline
import RemoteRoom
import Stage

/// Which layer of each video the recorder needs. For a video on the canvas the picture needs the
/// smallest layer that fills its tile without being enlarged, for any other video none. If another
/// taker needs a better layer, that one is requested.
///
/// Every change returns only new requests. `SoundSubscriptions` handles audio: speakers are heard whether
/// or not they are on the canvas.
struct LayerPreferences {
    struct Wish: Hashable {
        var track: TrackID
        var layer: LayerPreference
    }

    /// The consumers of a video's frames.
    enum Taker: Hashable {
        case picture
        /// A file of the track.
        case file
    }

    /// Videos in the room.
    private var videos: Set<TrackID> = []
    /// The largest tile of each video; nil before the first layout.
    private var places: [TrackID: PlacedTile]?
    /// Videos that the latest layout knew, shown or not.
    private var laidOut: Set<TrackID> = []
    private var layers: [TrackID: [TrackLayers.Layer]] = [:]
    private var demands = LayerDemands<Taker>()
    private var asked: [TrackID: LayerPreference] = [:]

    /// These are all videos in the room. A new one arrives unchanged until a layout knows it: to
    /// refuse it and request it later would cost a key frame.
    mutating func roomChanged(videos: Set<TrackID>) {
        self.videos = videos
        layers = layers.filter { videos.contains($0.key) }
        // The server forgets requests for a track that has ended, so this value must too.
        asked = asked.filter { videos.contains($0.key) }
        demands.keep(videos)
    }

    /// - Parameters:
    ///   - tiles: where videos are shown, still or soon.
    ///   - known: the videos among which the layout chose.
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

    /// Exactly these videos are recorded by themselves, each in its best layer.
    mutating func record(_ tracks: Set<TrackID>) -> [Wish] {
        for video in videos {
            demands.set(tracks.contains(video) ? .high : nil, of: video, for: .file)
        }
        return changes()
    }

    /// - Parameter layer: nil for a taker that no longer needs the track.
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
            // The other side fits once the whole picture is scaled down.
            case .letterbox: coversWidth || coversHeight
            }
        }
        return fitting?.name ?? .high
    }
}
