import Codec
import Compositor
import HLS
import MediaKernel
import Stage

/// What is to be seen: who is in the room, where each has a place, and the picture of a moment.
/// Owned by the director's thread.
final class Scene {
    private let configuration: PipelineConfiguration
    private let emit: @Sendable (PipelineEvent) -> Void
    private let compositor: Compositor
    private let slates = SlateRenderer()
    private(set) var peers: [SourcePeer] = []
    private var tiles: [Tile] = []
    private var layoutChanged = true

    init(
        configuration: PipelineConfiguration, emit: @escaping @Sendable (PipelineEvent) -> Void
    ) throws {
        self.configuration = configuration
        self.emit = emit
        let top = configuration.ladder.layers[0]
        compositor = try Compositor(canvas: Canvas(width: top.width, height: top.height))
    }

    func show(_ next: [SourcePeer]) {
        peers = next
        layoutChanged = true
    }

    /// A track's media began or ended.
    func tracksChanged() { layoutChanged = true }

    /// The picture of a moment.
    ///
    /// - Parameter source: a track's pictures, nil while there are none.
    func picture(
        at tick: Instant, source: (TrackID) -> VideoSource?
    ) throws -> VideoFrame {
        if layoutChanged { layOut() }
        guard !tiles.isEmpty else {
            return try slates.slate(
                width: compositor.canvas.width, height: compositor.canvas.height,
                room: configuration.title)
        }
        var placed: [PlacedFrame] = []
        placed.reserveCapacity(tiles.count)
        for tile in tiles {
            var frame = PlacedFrame(
                rectangle: tile.rectangle, fit: tile.fit, frame: nil,
                peer: tile.participant.peer, name: tile.participant.name)
            if let track = tile.participant.track, let video = source(track) {
                switch video.choose(at: tick) {
                case .show(let picture), .hold(let picture):
                    frame.frame = picture.frame
                    frame.rotation = FrameRotation(rawValue: picture.rotation) ?? .none
                case .placeholder:
                    break
                }
            }
            placed.append(frame)
        }
        return try compositor.compose(tiles: placed)
    }

    private func layOut() {
        layoutChanged = false
        tiles = LayoutName.grid.tiles(
            for: participants, on: compositor.canvas,
            options: LayoutOptions(gap: configuration.gap, fit: configuration.fit))
        emit(
            .tilesChanged(
                tiles.map {
                    PlacedTile(
                        peer: $0.participant.peer, track: $0.participant.track,
                        name: $0.participant.name, rectangle: $0.rectangle)
                }))
    }

    /// Everybody who publishes has a tile, and so has each shared screen. Who only looks has none.
    private var participants: [Participant] {
        var list: [Participant] = []
        for peer in peers where !peer.tracks.isEmpty {
            let camera = peer.tracks.first { $0.isVideo && !$0.isScreen }
            let hasPerson = camera != nil || peer.tracks.contains { !$0.isVideo && !$0.isScreen }
            if hasPerson {
                list.append(participant(peer, showing: camera))
            }
            for screen in peer.tracks where screen.isVideo && screen.isScreen {
                list.append(participant(peer, showing: screen))
            }
        }
        return list
    }

    private func participant(_ peer: SourcePeer, showing track: SourceTrack?) -> Participant {
        Participant(
            peer: peer.id, track: track?.id, name: peer.name, joinedOrder: Int(peer.joinedAt),
            hasVideo: track.map { !$0.isMuted } ?? false, isScreen: track?.isScreen ?? false)
    }
}
