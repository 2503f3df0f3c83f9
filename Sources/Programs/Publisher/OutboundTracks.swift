import MediaKernel
import RTP

/// The outgoing tracks of a publication, and which of them are muted.
struct OutboundTracks {
    private let videoCodec: MediaCodec?
    private let layers: Int
    private let hasAudio: Bool
    private let wrapsSoon: Bool
    /// One for each layer of the video, best first; empty without video and while nothing is
    /// published.
    var pictures: [OutboundTrack] = []
    /// Nil without sound and while nothing is published.
    var sound: OutboundTrack?
    private var muted: Set<String> = []

    init(videoCodec: MediaCodec?, layers: Int, hasAudio: Bool, wrapsSoon: Bool) {
        self.videoCodec = videoCodec
        self.layers = layers
        self.hasAudio = hasAudio
        self.wrapsSoon = wrapsSoon
    }

    /// Begins a publication, with nothing muted.
    mutating func open(_ names: TrackNames) {
        func lane(_ id: String, _ codec: MediaCodec) -> OutboundTrack {
            OutboundTrack(trackID: id, codec: codec, wrapsSoon: wrapsSoon)
        }
        pictures =
            videoCodec.map { codec in (0..<layers).map { _ in lane(names.video, codec) } } ?? []
        sound = hasAudio ? lane(names.audio, .opus) : nil
        muted = []
    }

    mutating func close() { (pictures, sound) = ([], nil) }

    func isMuted(_ lane: OutboundTrack) -> Bool { muted.contains(lane.trackID) }

    /// - Returns: the lane; nil if there is none of the kind.
    mutating func mute(_ isMuted: Bool, isVideo: Bool) -> OutboundTrack? {
        guard let lane = isVideo ? pictures.first : sound else { return nil }
        if isMuted { muted.insert(lane.trackID) } else { muted.remove(lane.trackID) }
        return lane
    }
}
