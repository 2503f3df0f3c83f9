public import MediaKernel

/// How the frames of a track are encoded.
public enum SourceCodec: String, Hashable, Sendable {
    case vp8, vp9, h264, av1, opus
    /// Not encoded: pixels, row by row, without gaps between rows.
    case i420

    public var isVideo: Bool { self != .opus }
    /// Ticks per second of the RTP clock.
    public var clockRate: Int { isVideo ? 90_000 : 48_000 }
}

/// One encoded frame or audio packet from the network.
public struct IncomingFrame: Sendable {
    public var data: [UInt8]
    /// Unwrapped RTP timestamp in ticks of the track's clock.
    public var timestamp: Int64
    public var isKeyframe: Bool
    /// Clockwise degrees by which to turn the picture: 0, 90, 180, 270.
    public var rotation: Int
    /// The picture's size in pixels, where a key frame has it, and always of pixels.
    public var size: Size?
    /// Level of an audio packet in -dBov, 0 (loudest) to 127 (digital silence), as its sender
    /// reports it (RFC 6464); nil without a report.
    public var audioLevel: Int?
    /// When its last packet arrived.
    public var arrival: Instant
    /// When it could be decoded: later than `arrival` if earlier packets were missing.
    public var ready: Instant
    /// Whether frames before it were lost on the way.
    public var followsLoss = false
    /// Whether the data are pixels. Such frames are large, so only a few may wait.
    public var isRaw = false

    public struct Size: Hashable, Sendable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// - Parameter ready: nil for `arrival`.
    public init(
        data: [UInt8], timestamp: Int64, isKeyframe: Bool, rotation: Int = 0,
        size: Size? = nil, audioLevel: Int? = nil, arrival: Instant, ready: Instant? = nil
    ) {
        self.data = data
        self.timestamp = timestamp
        self.isKeyframe = isKeyframe
        self.rotation = rotation
        self.size = size
        self.audioLevel = audioLevel
        self.arrival = arrival
        self.ready = ready ?? arrival
    }
}

/// One track as the room describes it.
public struct SourceTrack: Hashable, Sendable {
    public var id: TrackID
    public var isVideo: Bool
    public var source: TrackSource
    public var isMuted: Bool

    public init(id: TrackID, isVideo: Bool, source: TrackSource = .regular, isMuted: Bool) {
        self.id = id
        self.isVideo = isVideo
        self.source = source
        self.isMuted = isMuted
    }

    /// Whether the track is a person's voice.
    var isVoice: Bool { !isVideo && source == .regular }
}

/// A peer whose picture or sound the stream may show.
public struct SourcePeer: Hashable, Sendable {
    public var id: PeerID
    public var name: String
    /// The peer's role in the room's policy.
    public var role: String
    /// The address of the peer's picture, for use without video; it is shown once
    /// `StreamPipeline.showPicture` provides it.
    public var picture: String?
    /// Milliseconds since 1970; tiles are ordered by it.
    public var joinedAt: Int64
    public var tracks: [SourceTrack]

    public init(
        id: PeerID, name: String, role: String = "", picture: String? = nil, joinedAt: Int64,
        tracks: [SourceTrack]
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.picture = picture
        self.joinedAt = joinedAt
        self.tracks = tracks
    }
}
