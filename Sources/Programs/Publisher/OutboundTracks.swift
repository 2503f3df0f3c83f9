import MediaKernel
import RTP

/// The outgoing tracks of a publication, and which of them are muted.
struct OutboundTracks {
    private let videoCodec: MediaCodec?
    private let layers: Int
    private let hasAudio: Bool
    private let screenCodec: MediaCodec?
    private let wrapsSoon: Bool
    /// One for each layer of the video, best first; empty without video and while nothing is
    /// published.
    var pictures: [OutboundTrack] = []
    /// Nil without sound and while nothing is published.
    var sound: OutboundTrack?
    /// Nil without a shared screen and while nothing is published.
    var screen: OutboundTrack?
    private var muted: Set<String> = []

    init(
        videoCodec: MediaCodec?, layers: Int, hasAudio: Bool, screenCodec: MediaCodec?,
        wrapsSoon: Bool
    ) {
        self.videoCodec = videoCodec
        self.layers = layers
        self.hasAudio = hasAudio
        self.screenCodec = screenCodec
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
        screen = screenCodec.map { lane(names.screen, $0) }
        muted = []
    }

    mutating func close() { (pictures, sound, screen) = ([], nil, nil) }

    func isMuted(_ lane: OutboundTrack) -> Bool { muted.contains(lane.trackID) }

    mutating func mute(_ isMuted: Bool, _ lane: OutboundTrack) {
        if isMuted { muted.insert(lane.trackID) } else { muted.remove(lane.trackID) }
    }
}
