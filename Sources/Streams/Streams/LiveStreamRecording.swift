public import Rooms

/// The recordings to make of a stream; stored and returned.
public struct LiveStreamRecording: Hashable, Sendable, Codable {
    public var hlsVOD: Bool
    public var singleFilePerLayer: Bool
    /// Differences from the configured thumbnails; nil for none.
    public var thumbnails: ThumbnailOptions?
    /// The tracks to record each by itself; nil for none.
    public var tracks: TrackOptions?
    /// Nil for one that only Roomcast's own API knows.
    public var label: RecordingLabel?

    public init(
        hlsVOD: Bool = false, singleFilePerLayer: Bool = false,
        thumbnails: ThumbnailOptions? = nil, tracks: TrackOptions? = nil,
        label: RecordingLabel? = nil
    ) {
        self.hlsVOD = hlsVOD
        self.singleFilePerLayer = singleFilePerLayer
        self.thumbnails = thumbnails
        self.tracks = tracks
        self.label = label
    }

    /// Whether anything is to be recorded.
    public var isWanted: Bool { hasPicture || tracks != nil }

    /// Whether the room as a whole is to be recorded, not only its tracks.
    public var hasPicture: Bool { hlsVOD || singleFilePerLayer }

    /// Whether nothing of the stream is needed but its tracks.
    public var isTracksAlone: Bool { tracks?.composite == false && !hasPicture }

    enum CodingKeys: String, CodingKey {
        case hlsVOD = "hls_vod"
        case singleFilePerLayer = "single_file_per_layer"
        case thumbnails, tracks, label
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hlsVOD = try container.decodeIfPresent(Bool.self, forKey: .hlsVOD) ?? false
        singleFilePerLayer =
            try container.decodeIfPresent(Bool.self, forKey: .singleFilePerLayer) ?? false
        thumbnails = try container.decodeIfPresent(ThumbnailOptions.self, forKey: .thumbnails)
        tracks = try container.decodeIfPresent(TrackOptions.self, forKey: .tracks)
        label = try container.decodeIfPresent(RecordingLabel.self, forKey: .label)
    }
}
