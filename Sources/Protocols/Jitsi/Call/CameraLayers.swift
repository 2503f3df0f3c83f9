internal import MediaKernel
internal import RemoteRoom

/// The layers in which Jitsi's clients send a camera, of which the program is told: no bridge tells
/// how large those of a source are, and without them every tile would want the best.
struct CameraLayers: Hashable {
    /// In pixels: more than any camera of Jitsi's, and a screen as it is.
    static let bestHeight = 2160

    /// Those of a camera with 720 lines; larger ones have a better best one.
    private static let sizes: [TrackLayers.Layer] = [
        .init(name: .low, width: 320, height: 180),
        .init(name: .medium, width: 640, height: 360),
        .init(name: .high, width: 1280, height: 720),
    ]

    private var cameras: Set<TrackID> = []

    /// What is new of these peers' videos: cameras that came, and screens that were cameras, of which
    /// nothing is known.
    mutating func news(_ peers: [RemotePeer]) -> [TrackLayers] {
        let videos = peers.flatMap(\.tracks).filter(\.isVideo)
        let before = cameras
        cameras = Set(videos.filter { $0.source == .regular }.map(\.id))
        return videos.map(\.id).filter { cameras.contains($0) != before.contains($0) }.map {
            track in
            TrackLayers(
                track: track, current: .high, expected: .high,
                layers: cameras.contains(track) ? Self.sizes : [])
        }
    }

    /// The maximum by which the bridge sends that layer.
    static func height(_ layer: LayerPreference) -> Int {
        switch layer {
        case .none: 0
        case .high: bestHeight
        case .low, .medium: sizes.first { $0.name == layer }?.height ?? bestHeight
        }
    }
}
