public import Rooms

/// What is to be kept of a stream, as far as somebody says: the request, and behind it the
/// destination.
public struct RecordingWish: Hashable, Sendable, Decodable {
    public var hlsVOD: Bool?
    public var singleFilePerLayer: Bool?
    /// What is to differ from the configured thumbnails; nil for nothing.
    public var thumbnails: ThumbnailWish?

    public init(
        hlsVOD: Bool? = nil, singleFilePerLayer: Bool? = nil, thumbnails: ThumbnailWish? = nil
    ) {
        self.hlsVOD = hlsVOD
        self.singleFilePerLayer = singleFilePerLayer
        self.thumbnails = thumbnails
    }

    /// What a recording without a live stream comes to.
    public static let oneFile = RecordingWish(hlsVOD: false, singleFilePerLayer: true)

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case hlsVOD = "hls_vod"
        case singleFilePerLayer = "single_file_per_layer"
        case thumbnails
    }

    /// This wish, and what another one says where this one says nothing.
    public func completed(by other: RecordingWish) -> RecordingWish {
        RecordingWish(
            hlsVOD: hlsVOD ?? other.hlsVOD,
            singleFilePerLayer: singleFilePerLayer ?? other.singleFilePerLayer,
            thumbnails: thumbnails ?? other.thumbnails)
    }
}

extension LiveStreamRecording {
    /// What nobody says is not kept.
    public init(_ wish: RecordingWish) {
        self.init(
            hlsVOD: wish.hlsVOD ?? false, singleFilePerLayer: wish.singleFilePerLayer ?? false,
            thumbnails: wish.thumbnails)
    }
}
