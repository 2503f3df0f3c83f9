/// The tracks that a role may publish, and their encoding.
public struct PublishParameters: Hashable, Sendable, Codable {
    /// The kinds of track that 100ms names in `allowed`.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case audio, video, screen
    }

    /// The values that 100ms accepts in `allowed`. `simulcast` below decides whether a camera has
    /// layers.
    private enum WrittenKind: String, Decodable { case audio, video, screen, simulcast }

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

    /// Fills in 100ms' defaults. Its web client reads `video` for the role of every peer with a
    /// camera, and all three for its own role, without checking that they exist. It also calculates
    /// with two numbers of every layer.
    public func complete(for client: ClientKind) -> PublishParameters {
        let camera = (video ?? .camera).known(to: client)
        let display = (screen ?? .screen).known(to: client)
        return PublishParameters(
            allowed: allowed, audio: audio ?? AudioParameters(), video: camera, screen: display,
            simulcast: simulcast.map { layers in
                SimulcastParameters(
                    video: layers.video.complete(bitRate: camera.bitRate),
                    screen: layers.screen.complete(bitRate: display.bitRate))
            })
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

    enum CodingKeys: String, CodingKey { case allowed, audio, video, screen, simulcast }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let words = try values.decodeIfPresent([WrittenKind].self, forKey: .allowed) ?? []
        allowed = words.compactMap { Kind(rawValue: $0.rawValue) }
        audio = try values.decodeIfPresent(AudioParameters.self, forKey: .audio)
        video = try values.decodeIfPresent(VideoParameters.Written.self, forKey: .video)
            .map { VideoParameters($0, default: .camera) }
        screen = try values.decodeIfPresent(VideoParameters.Written.self, forKey: .screen)
            .map { VideoParameters($0, default: .screen) }
        simulcast = try values.decodeIfPresent(SimulcastParameters.self, forKey: .simulcast)
    }
}

public struct AudioParameters: Hashable, Sendable, Codable {
    /// In kbit/s.
    public var bitRate: Int
    /// In small letters, for clients' lookups.
    public var codec: String

    public init(bitRate: Int = 32, codec: String = "opus") {
        self.bitRate = bitRate
        self.codec = codec
    }

    enum CodingKeys: String, CodingKey { case bitRate, codec }

    /// Missing fields get 100ms' defaults.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        bitRate = try values.decodeIfPresent(Int.self, forKey: .bitRate) ?? bitRate
        codec = try values.decodeIfPresent(String.self, forKey: .codec)?.lowercased() ?? codec
    }
}

public struct VideoParameters: Hashable, Sendable, Encodable {
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

    /// 100ms' defaults.
    static let camera = VideoParameters(bitRate: 256, frameRate: 25, width: 320, height: 180)
    static let screen = VideoParameters(bitRate: 1024, frameRate: 10, width: 1280, height: 720)

    /// A template's fields, of which any may be missing.
    struct Written: Decodable {
        var bitRate: Int?
        var codec: String?
        var frameRate: Int?
        var width: Int?
        var height: Int?
    }

    init(_ written: Written, default other: VideoParameters) {
        self.init(
            bitRate: written.bitRate ?? other.bitRate,
            codec: written.codec?.lowercased() ?? other.codec,
            frameRate: written.frameRate ?? other.frameRate, width: written.width ?? other.width,
            height: written.height ?? other.height)
    }

    /// The same, but with the default codec if the client does not know this one: a library whose
    /// lookup fails may fail altogether.
    func known(to client: ClientKind) -> VideoParameters {
        guard !client.knows(codec: codec) else { return self }
        var known = self
        known.codec = Self.camera.codec
        return known
    }
}

/// The encodings of one camera that a client sends in parallel. No layers: one encoding.
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

    /// Fills in the full size and the whole bitrate for missing fields.
    func complete(bitRate: Int) -> SimulcastLayers {
        SimulcastLayers(
            layers: layers?.map { layer in
                var layer = layer
                layer.scaleResolutionDownBy = layer.scaleResolutionDownBy ?? 1
                layer.maxBitrate = layer.maxBitrate ?? bitRate
                return layer
            })
    }
}

public struct SimulcastLayer: Hashable, Sendable, Codable {
    /// `f`, `h` or `q`.
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
