import Logging
import MediaKernel
import Pipeline
import RoomClient
import Signalling

/// Asks the server for what `LayerWishes` finds, in one place and in order, whoever saw the change.
struct LayerRequests: Sendable {
    /// Changes waiting to be looked at. Past it the oldest is passed over: each one but those of
    /// layers tells all there is to know.
    static let changesMaximum = 1024

    private enum Change: Sendable {
        case room(videos: Set<TrackID>)
        case tiles([PlacedTile])
        case layers([TrackLayersPayload.Track])
    }

    private let changes: AsyncStream<Change>
    private let sink: AsyncStream<Change>.Continuation

    init() {
        (changes, sink) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Self.changesMaximum))
    }

    func roomChanged(_ sources: [SourcePeer]) {
        let videos = sources.flatMap(\.tracks).filter(\.isVideo).map(\.id)
        sink.yield(.room(videos: Set(videos)))
    }

    func tilesChanged(_ tiles: [PlacedTile]) { sink.yield(.tiles(tiles)) }

    func layersChanged(_ tracks: [TrackLayersPayload.Track]) { sink.yield(.layers(tracks)) }

    /// Runs until cancelled.
    func run(_ client: RoomClient, logger: Logger) async {
        var wishes = LayerWishes()
        for await change in changes {
            var wanted: [LayerWishes.Wish] = []
            switch change {
            case .room(let videos): wishes.roomChanged(videos: videos)
            case .tiles(let tiles): wanted = wishes.tilesChanged(tiles)
            case .layers(let tracks):
                for track in tracks { log(track, to: logger) }
                wanted = wishes.layersChanged(tracks)
            }
            for wish in wanted {
                logger.debug(
                    "layer wanted",
                    metadata: ["track": "\(wish.track)", "layer": "\(wish.layer.rawValue)"])
                // Fails only once the media is gone, and with it the need.
                try? await client.preferVideo(wish.track, layer: wish.layer)
            }
        }
    }

    private func log(_ track: TrackLayersPayload.Track, to logger: Logger) {
        let sizes = (track.layers ?? []).map { "\($0.width)x\($0.height)" }
        logger.debug(
            "layer given",
            metadata: [
                "track": "\(track.trackID)", "layer": "\(track.currentLayer.rawValue)",
                "expected": "\(track.expectedLayer.rawValue)",
                "sizes": "\(sizes.joined(separator: ","))",
            ])
    }
}
