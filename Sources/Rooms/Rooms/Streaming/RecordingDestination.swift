public import MediaKernel

/// How recordings without a live stream are made: `browserRecordings` of a 100ms template, after
/// the browser that 100ms records with. What is missing is the server's default.
public struct RecordingDestination: Hashable, Sendable, Codable {
    public var name: String?
    /// Of the picture, in pixels.
    public var width: Int?
    public var height: Int?
    /// In seconds.
    public var maxDuration: Int?
    /// How long the room may be empty before a recording stops by itself, in seconds.
    public var autoStopTimeout: Int?
    /// Roomcast's own: how long nothing may be published, in seconds.
    public var idleTimeout: Int?
    /// Whether a room is recorded as soon as somebody is in it.
    public var autoStart: Bool?
    public var thumbnails: ThumbnailWish?
    /// Roomcast's own: what the picture is to look like, as the control API writes it.
    public var layout: JSONValue?

    public init(name: String? = nil, width: Int? = nil, height: Int? = nil) {
        self.name = name
        self.width = width
        self.height = height
    }
}
