public import Rooms

/// The wanted recordings of a stream, as far as specified: by the request, and then by the
/// destination.
public struct RecordingOptions: Hashable, Sendable, Decodable {
    public var hlsVOD: Bool?
    public var singleFilePerLayer: Bool?
    /// Differences from the configured thumbnails; nil for none.
    public var thumbnails: ThumbnailOptions?
    /// The tracks to record each by itself.
    public var tracks: TrackOptions?
    /// Not part of requests to Roomcast's own API.
    public var label: RecordingLabel?

    public init(
        hlsVOD: Bool? = nil, singleFilePerLayer: Bool? = nil,
        thumbnails: ThumbnailOptions? = nil, tracks: TrackOptions? = nil,
        label: RecordingLabel? = nil
    ) {
        self.hlsVOD = hlsVOD
        self.singleFilePerLayer = singleFilePerLayer
        self.thumbnails = thumbnails
        self.tracks = tracks
        self.label = label
    }

    /// The default of a recording without a live stream.
    public static let oneFile = RecordingOptions(hlsVOD: false, singleFilePerLayer: true)

    /// That of pushes without a file.
    public static let nothing = RecordingOptions(hlsVOD: false, singleFilePerLayer: false)

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case hlsVOD = "hls_vod"
        case singleFilePerLayer = "single_file_per_layer"
        case thumbnails, tracks
    }

    /// This wish, with its nil fields taken from the other one.
    public func completed(by other: RecordingOptions) -> RecordingOptions {
        RecordingOptions(
            hlsVOD: hlsVOD ?? other.hlsVOD,
            singleFilePerLayer: singleFilePerLayer ?? other.singleFilePerLayer,
            thumbnails: thumbnails ?? other.thumbnails, tracks: tracks ?? other.tracks,
            label: label ?? other.label)
    }
}

extension LiveStreamRecording {
    /// Unspecified recordings are not made.
    public init(_ wish: RecordingOptions) {
        self.init(
            hlsVOD: wish.hlsVOD ?? false, singleFilePerLayer: wish.singleFilePerLayer ?? false,
            thumbnails: wish.thumbnails,
            tracks: wish.tracks.flatMap { $0.enabled ? $0 : nil }, label: wish.label)
    }
}
