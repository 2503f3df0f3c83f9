public import Rooms

extension PublishParameters: Codable {
    private enum CodingKeys: String, CodingKey { case allowed, audio, video, screen, simulcast }

    /// The values that 100ms accepts in `allowed`. The field `simulcast` decides whether a camera
    /// has layers.
    private enum WrittenKind: String, Decodable { case audio, video, screen, simulcast }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let words = try values.decodeIfPresent([WrittenKind].self, forKey: .allowed) ?? []
        self.init(
            allowed: words.compactMap { Kind(rawValue: $0.rawValue) },
            audio: try values.decodeIfPresent(AudioParameters.self, forKey: .audio),
            video: try values.decodeIfPresent(WrittenVideo.self, forKey: .video)
                .map { VideoParameters($0, default: .camera) },
            screen: try values.decodeIfPresent(WrittenVideo.self, forKey: .screen)
                .map { VideoParameters($0, default: .screen) },
            simulcast: try values.decodeIfPresent(SimulcastParameters.self, forKey: .simulcast))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(allowed.map(\.rawValue), forKey: .allowed)
        try values.encodeIfPresent(audio, forKey: .audio)
        try values.encodeIfPresent(video, forKey: .video)
        try values.encodeIfPresent(screen, forKey: .screen)
        try values.encodeIfPresent(simulcast, forKey: .simulcast)
    }
}

extension AudioParameters: Codable {
    private enum CodingKeys: String, CodingKey { case bitRate, codec }

    /// Missing fields get 100ms' defaults.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        bitRate = try values.decodeIfPresent(Int.self, forKey: .bitRate) ?? bitRate
        codec = try values.decodeIfPresent(String.self, forKey: .codec)?.lowercased() ?? codec
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(bitRate, forKey: .bitRate)
        try values.encode(codec, forKey: .codec)
    }
}

/// A template's fields of a video, of which any may be missing.
private struct WrittenVideo: Decodable {
    var bitRate: Int?
    var codec: String?
    var frameRate: Int?
    var width: Int?
    var height: Int?
}

extension VideoParameters: Encodable {
    private enum CodingKeys: String, CodingKey { case bitRate, codec, frameRate, width, height }

    /// 100ms' defaults.
    public static let camera = VideoParameters(
        bitRate: 256, frameRate: 25, width: 320, height: 180)
    public static let screen = VideoParameters(
        bitRate: 1024, frameRate: 10, width: 1280, height: 720)

    fileprivate init(_ written: WrittenVideo, default other: VideoParameters) {
        self.init(
            bitRate: written.bitRate ?? other.bitRate,
            codec: written.codec?.lowercased() ?? other.codec,
            frameRate: written.frameRate ?? other.frameRate, width: written.width ?? other.width,
            height: written.height ?? other.height)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(bitRate, forKey: .bitRate)
        try values.encode(codec, forKey: .codec)
        try values.encode(frameRate, forKey: .frameRate)
        try values.encode(width, forKey: .width)
        try values.encode(height, forKey: .height)
    }
}

extension SimulcastParameters: Codable {
    private static let fields: [TemplateField<Self>] = [
        TemplateField("video", always: \.video),
        TemplateField("screen", always: \.screen),
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}

extension SimulcastLayers: Codable {
    private static let fields: [TemplateField<Self>] = [
        TemplateField("layers", \.layers)
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}

extension SimulcastLayer: Codable {
    private enum CodingKeys: String, CodingKey {
        case rid, scaleResolutionDownBy, maxBitrate, maxFramerate
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            rid: try values.decode(String.self, forKey: .rid),
            scaleResolutionDownBy: try values.decodeIfPresent(
                Double.self, forKey: .scaleResolutionDownBy),
            maxBitrate: try values.decodeIfPresent(Int.self, forKey: .maxBitrate),
            maxFramerate: try values.decodeIfPresent(Int.self, forKey: .maxFramerate))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(rid, forKey: .rid)
        try values.encodeIfPresent(scaleResolutionDownBy, forKey: .scaleResolutionDownBy)
        try values.encodeIfPresent(maxBitrate, forKey: .maxBitrate)
        try values.encodeIfPresent(maxFramerate, forKey: .maxFramerate)
    }
}
