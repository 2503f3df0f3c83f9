/// The tracks that a role may publish, and their encoding.
public struct PublishParameters: Hashable, Sendable {
    /// A kind of track that a role may publish.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case audio, video, screen
    }

    public var allowed: [Kind]
    public var audio: AudioParameters?
    public var video: VideoParameters?
    public var screen: VideoParameters?
    /// Nil for a single encoding of each video.
    public var simulcast: SimulcastParameters?

    public init(
        allowed: [Kind] = [], audio: AudioParameters? = nil, video: VideoParameters? = nil,
        screen: VideoParameters? = nil, simulcast: SimulcastParameters? = nil
    ) {
        self.allowed = allowed
        self.audio = audio
        self.video = video
        self.screen = screen
        self.simulcast = simulcast
    }

    /// The bitrate of a track whose client follows the policy, in kbit/s: of a video with all its
    /// layers. Nil if the policy has no bitrate for such tracks.
    ///
    /// - Parameter isPresentation: for example a screen, not a camera.
    public func bitRate(of kind: TrackKind, isPresentation: Bool) -> Int? {
        switch kind {
        case .audio: return audio?.bitRate
        case .video:
            guard let whole = (isPresentation ? screen : video)?.bitRate else { return nil }
            let layers = (isPresentation ? simulcast?.screen : simulcast?.video)?.layers ?? []
            // A policy may contain any number.
            let sum = layers.reduce(0) { $0 &+ ($1.maxBitrate ?? whole) }
            return max(whole, sum)
        }
    }
}

public struct AudioParameters: Hashable, Sendable {
    /// In kbit/s.
    public var bitRate: Int
    /// In small letters, for clients' lookups.
    public var codec: String

    public init(bitRate: Int = 32, codec: String = "opus") {
        self.bitRate = bitRate
        self.codec = codec
    }
}

public struct VideoParameters: Hashable, Sendable {
    /// In kbit/s.
    public var bitRate: Int
    /// In small letters, for clients' lookups.
    public var codec: String
    /// In frames per second.
    public var frameRate: Int
    /// In pixels.
    public var width: Int
    public var height: Int

    public init(bitRate: Int, codec: String = "vp8", frameRate: Int, width: Int, height: Int) {
        self.bitRate = bitRate
        self.codec = codec
        self.frameRate = frameRate
        self.width = width
        self.height = height
    }
}

/// The encodings of one camera that a client sends in parallel. No layers: one encoding.
public struct SimulcastParameters: Hashable, Sendable {
    public var video: SimulcastLayers
    public var screen: SimulcastLayers

    public init(
        video: SimulcastLayers = SimulcastLayers(), screen: SimulcastLayers = SimulcastLayers()
    ) {
        self.video = video
        self.screen = screen
    }
}

public struct SimulcastLayers: Hashable, Sendable {
    public var layers: [SimulcastLayer]?

    public init(layers: [SimulcastLayer]? = nil) { self.layers = layers }
}

public struct SimulcastLayer: Hashable, Sendable {
    /// The layer's name on the wire, RFC 8851.
    public var rid: String
    public var scaleResolutionDownBy: Double?
    /// In kbit/s.
    public var maxBitrate: Int?
    /// In frames per second.
    public var maxFramerate: Int?

    public init(
        rid: String, scaleResolutionDownBy: Double? = nil, maxBitrate: Int? = nil,
        maxFramerate: Int? = nil
    ) {
        self.rid = rid
        self.scaleResolutionDownBy = scaleResolutionDownBy
        self.maxBitrate = maxBitrate
        self.maxFramerate = maxFramerate
    }
}
