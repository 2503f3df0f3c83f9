import Logging
import MediaKernel
import Pipeline
import RemoteRoom
import Rooms

/// Sends the server the requests of `LayerPreferences` and `SoundSubscriptions`, in one place and in order,
/// whichever task saw the change.
struct MediaRequests: Sendable {
    /// Waiting changes. Beyond this number the oldest is dropped: every change except those of
    /// layers carries the full state.
    static let changesMaximum = 1024

    private enum Change: Sendable {
        case room([SourcePeer])
        case roles(Set<String>?)
        case tiles([PlacedTile], among: Set<TrackID>)
        case layers([TrackLayers])
    }

    /// The roles that are heard at first; nil for all peers.
    private let roles: Set<String>?
    /// The tracks that are recorded by themselves; nil for none.
    private let recording: TrackOptions?
    /// Whether there is no picture, so that nothing else is needed.
    private let isTracksAlone: Bool
    private let changes: AsyncStream<Change>
    private let sink: AsyncStream<Change>.Continuation

    init(
        roles: Set<String>?, recording: TrackOptions? = nil, isTracksAlone: Bool = false
    ) {
        self.roles = isTracksAlone ? [] : roles
        self.recording = recording
        self.isTracksAlone = isTracksAlone
        (changes, sink) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Self.changesMaximum))
    }

    func roomChanged(_ sources: [SourcePeer]) { sink.yield(.room(sources)) }

    func rolesChanged(_ roles: Set<String>?) { sink.yield(.roles(roles)) }

    func tilesChanged(_ tiles: [PlacedTile], among videos: Set<TrackID>) {
        sink.yield(.tiles(tiles, among: videos))
    }

    func layersChanged(_ tracks: [TrackLayers]) { sink.yield(.layers(tracks)) }

    /// Runs until cancelled.
    func run(_ room: any RemoteRoom, logger: Logger) async {
        var pictures = LayerPreferences()
        var sound = SoundSubscriptions(roles: roles)
        for await change in changes {
            var layers: [LayerPreferences.Wish] = []
            var voices: [SoundSubscriptions.Wish] = []
            switch change {
            case .room(let sources):
                let videos = sources.flatMap(\.tracks).filter(\.isVideo).map(\.id)
                pictures.roomChanged(videos: Set(videos))
                let recorded = recording?.tracks(of: sources) ?? []
                // The whole room's videos are in the layout, though none has a tile.
                if isTracksAlone { layers = pictures.tilesChanged([], among: Set(videos)) }
                layers += pictures.record(recorded)
                voices = sound.roomChanged(sources, recorded: recorded)
            case .roles(let roles): if !isTracksAlone { voices = sound.rolesChanged(roles) }
            case .tiles(let tiles, let videos):
                layers = pictures.tilesChanged(tiles, among: videos)
            case .layers(let tracks):
                for track in tracks { log(track, to: logger) }
                layers = pictures.layersChanged(tracks)
            }
            for wish in layers {
                logger.debug(
                    "layer wanted",
                    metadata: ["track": "\(wish.track)", "layer": "\(wish.layer.rawValue)"])
                await room.want(wish.track, layer: wish.layer)
            }
            for wish in voices {
                logger.debug(
                    "sound wanted",
                    metadata: ["track": "\(wish.track)", "wanted": "\(wish.isSubscribed)"])
                await room.want(wish.track, isHeard: wish.isSubscribed)
            }
        }
    }

    private func log(_ track: TrackLayers, to logger: Logger) {
        let sizes = track.layers.map { "\($0.width)x\($0.height)" }
        logger.debug(
            "layer given",
            metadata: [
                "track": "\(track.track)", "layer": "\(track.current.rawValue)",
                "expected": "\(track.expected.rawValue)",
                "sizes": "\(sizes.joined(separator: ","))",
            ])
    }
}
