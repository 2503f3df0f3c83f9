/// What a role may publish, and how its clients should encode it.
public struct PublishParameters: Hashable, Sendable, Codable {
    /// The kinds of track that 100ms names in `allowed`.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case audio, video, screen
    }

    public var allowed: [Kind]
    public var audio: AudioParameters?
    public var video: VideoParameters?
    public var screen: VideoParameters?
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

    enum CodingKeys: String, CodingKey { case allowed, audio, video, screen, simulcast }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        allowed = try values.decodeIfPresent([Kind].self, forKey: .allowed) ?? []
        audio = try values.decodeIfPresent(AudioParameters.self, forKey: .audio)
        video = try values.decodeIfPresent(VideoParameters.self, forKey: .video)
        screen = try values.decodeIfPresent(VideoParameters.self, forKey: .screen)
        simulcast = try values.decodeIfPresent(SimulcastParameters.self, forKey: .simulcast)
    }
}

public struct AudioParameters: Hashable, Sendable, Codable {
    /// In kbit/s.
    public var bitRate: Int
    public var codec: String

    public init(bitRate: Int, codec: String = "opus") {
        self.bitRate = bitRate
        self.codec = codec
    }
}

public struct VideoParameters: Hashable, Sendable, Codable {
    /// In kbit/s.
    public var bitRate: Int
    public var codec: String
    /// In frames a second.
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

/// The encodings of one camera that a client sends side by side. No layers: one encoding.
public struct SimulcastParameters: Hashable, Sendable, Codable {
    public var video: SimulcastLayers
    public var screen: SimulcastLayers

    public init(
        video: SimulcastLayers = SimulcastLayers(), screen: SimulcastLayers = SimulcastLayers()
    ) {
        self.video = video
        self.screen = screen
    }

    enum CodingKeys: String, CodingKey { case video, screen }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        video =
            try values.decodeIfPresent(SimulcastLayers.self, forKey: .video) ?? SimulcastLayers()
        screen =
            try values.decodeIfPresent(SimulcastLayers.self, forKey: .screen) ?? SimulcastLayers()
    }
}

public struct SimulcastLayers: Hashable, Sendable, Codable {
    public var layers: [SimulcastLayer]?

    public init(layers: [SimulcastLayer]? = nil) { self.layers = layers }
}

public struct SimulcastLayer: Hashable, Sendable, Codable {
    /// `f`, `h` or `q`.
    public var rid: String
    public var scaleResolutionDownBy: Double?
    /// In kbit/s.
    public var maxBitrate: Int?
    /// In frames a second.
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
