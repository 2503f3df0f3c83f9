public import MediaKernel

/// The settings of recordings without a live stream. Missing fields get the server's defaults.
public struct RecordingDestination: Hashable, Sendable {
    public var name: String?
    /// Supplies values that are missing here.
    public var preset: RecordingPreset?
    /// Of the picture, in pixels.
    public var width: Int?
    public var height: Int?
    /// In seconds.
    public var maxDuration: Int?
    /// How long the room may be empty before a recording stops by itself, in seconds.
    public var autoStopTimeout: Int?
    /// How long the room may be without published tracks, in seconds.
    public var idleTimeout: Int?
    /// Whether a room is recorded as soon as it has peers. With a preset, as soon as it has as many
    /// as that says, unless it is false.
    public var autoStart: Bool?
    /// How long files are kept, in seconds.
    public var keptSeconds: Int?
    public var thumbnails: ThumbnailOptions?
    /// The tracks to record each by itself.
    public var tracks: TrackOptions?
    /// The layout of the picture, in the control API's form.
    public var layout: JSONValue?

    public init(name: String? = nil, width: Int? = nil, height: Int? = nil) {
        self.name = name
        self.width = width
        self.height = height
    }
}
