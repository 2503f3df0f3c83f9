/// The file `stream.json` beside a stream's media: the catalogue's record of the stream, and the
/// assets to make of its recording.
public struct StreamFile: Hashable, Sendable, Codable {
    public static let name = "stream.json"

    public var stream: CatalogueStream
    /// Nil if the stream is not recorded.
    public var order: RecordingOrder?

    public init(stream: CatalogueStream, order: RecordingOrder? = nil) {
        self.stream = stream
        self.order = order
    }

    enum CodingKeys: String, CodingKey { case order = "recording" }

    public init(from decoder: any Decoder) throws {
        stream = try CatalogueStream(from: decoder)
        order = try decoder.container(keyedBy: CodingKeys.self)
            .decodeIfPresent(RecordingOrder.self, forKey: .order)
    }

    public func encode(to encoder: any Encoder) throws {
        try stream.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(order, forKey: .order)
    }
}

/// The assets to make of a stream.
public struct RecordingOrder: Hashable, Sendable, Codable {
    /// A zip archive of playlists and segments, and its unzipped files.
    public var hlsVOD: Bool
    /// One MP4 file per layer.
    public var singleFilePerLayer: Bool
    /// The picture sizes of the layers, best first; 0 × 0 without a picture.
    public var layers: [CatalogueAsset.Size]
    /// The positions of the layers to keep; nil for all.
    public var keptLayers: [Int]?
    /// How long to keep the finished assets; nil for ever.
    public var keptSeconds: Int64?
    /// Nil for none.
    public var thumbnails: ThumbnailOrder?
    /// Nil if no tracks are recorded by themselves.
    public var tracks: TrackOrder?

    public init(
        hlsVOD: Bool, singleFilePerLayer: Bool, layers: [CatalogueAsset.Size],
        keptLayers: [Int]? = nil, keptSeconds: Int64? = nil, thumbnails: ThumbnailOrder? = nil,
        tracks: TrackOrder? = nil
    ) {
        self.hlsVOD = hlsVOD
        self.singleFilePerLayer = singleFilePerLayer
        self.layers = layers
        self.keptLayers = keptLayers
        self.keptSeconds = keptSeconds
        self.thumbnails = thumbnails
        self.tracks = tracks
    }

    /// Whether the room as a whole was recorded, not only its tracks.
    public var hasPicture: Bool { hlsVOD || singleFilePerLayer }

    /// Whether the stream has no picture.
    public var isSoundAlone: Bool { layers.allSatisfy { $0.width == 0 } }

    enum CodingKeys: String, CodingKey {
        case hlsVOD = "hls_vod"
        case singleFilePerLayer = "single_file_per_layer"
        case layers, thumbnails, tracks
        case keptLayers = "kept_layers"
        case keptSeconds = "kept_seconds"
    }
}

/// The files to make of a stream's tracks.
public struct TrackOrder: Hashable, Sendable, Codable {
    /// Whether sound becomes WebM; otherwise Ogg.
    public var webm: Bool
    /// Whether there is an archive of all files.
    public var zip: Bool
    /// Whether there is a movie of each peer; nil for no.
    public var perPeer: Bool?
    /// Nil for no file of all sound.
    public var mix: MixOrder?
    /// An archive of streams in place of one of tracks; nil for none.
    public var bundle: BundleOrder?

    public init(
        webm: Bool = false, zip: Bool = false, perPeer: Bool? = nil, mix: MixOrder? = nil,
        bundle: BundleOrder? = nil
    ) {
        self.webm = webm
        self.zip = zip
        self.perPeer = perPeer
        self.mix = mix
        self.bundle = bundle
    }

    enum CodingKeys: String, CodingKey {
        case webm, zip, mix, bundle
        case perPeer = "per_peer"
    }
}

/// The archive of a file for each published stream.
public struct BundleOrder: Hashable, Sendable, Codable {
    /// Of the recording, as an application knows it.
    public var id: String
    public var name: String
    public var hasSound: Bool
    public var hasPicture: Bool

    public init(id: String, name: String, hasSound: Bool, hasPicture: Bool) {
        self.id = id
        self.name = name
        self.hasSound = hasSound
        self.hasPicture = hasPicture
    }

    enum CodingKeys: String, CodingKey {
        case id, name
        case hasSound = "sound"
        case hasPicture = "picture"
    }
}

/// The file to make of all recorded sound.
public struct MixOrder: Hashable, Sendable, Codable {
    public enum Format: String, Hashable, Sendable, Codable {
        case wav, flac
    }

    public var format: Format
    /// Samples per second: 16 000 or 48 000.
    public var sampleRate: Int
    /// Whether one speaker is on the left and all others are on the right.
    public var isDual: Bool
    /// The peer, by id or name, or the role on the left; nil for whoever is heard first.
    public var left: String?

    public init(format: Format, sampleRate: Int, isDual: Bool = false, left: String? = nil) {
        self.format = format
        self.sampleRate = sampleRate
        self.isDual = isDual
        self.left = left
    }
}
