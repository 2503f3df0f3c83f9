public import Rooms

/// The recordings to make of a stream; stored and returned.
public struct LiveStreamRecording: Hashable, Sendable, Codable {
    public var hlsVOD: Bool
    public var singleFilePerLayer: Bool
    /// Differences from the configured thumbnails; nil for none.
    public var thumbnails: ThumbnailWish?

    public init(
        hlsVOD: Bool = false, singleFilePerLayer: Bool = false, thumbnails: ThumbnailWish? = nil
    ) {
        self.hlsVOD = hlsVOD
        self.singleFilePerLayer = singleFilePerLayer
        self.thumbnails = thumbnails
    }

    /// Whether anything is to be recorded.
    public var isWanted: Bool { hlsVOD || singleFilePerLayer }

    enum CodingKeys: String, CodingKey {
        case hlsVOD = "hls_vod"
        case singleFilePerLayer = "single_file_per_layer"
        case thumbnails
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hlsVOD = try container.decodeIfPresent(Bool.self, forKey: .hlsVOD) ?? false
        singleFilePerLayer =
            try container.decodeIfPresent(Bool.self, forKey: .singleFilePerLayer) ?? false
        thumbnails = try container.decodeIfPresent(ThumbnailWish.self, forKey: .thumbnails)
    }
}
