public import MediaKernel

/// The settings of a room's streams. Missing fields get the server's defaults.
public struct HLSDestination: Hashable, Sendable {
    /// One rung of the ladder. Without any field it is the server's default for that rung.
    public struct Layer: Hashable, Sendable {
        /// In pixels.
        public var width: Int?
        public var height: Int?
        /// In kbit/s.
        public var videoBitrate: Int?
        public var audioBitrate: Int?

        public init(
            width: Int? = nil, height: Int? = nil, videoBitrate: Int? = nil,
            audioBitrate: Int? = nil
        ) {
            self.width = width
            self.height = height
            self.videoBitrate = videoBitrate
            self.audioBitrate = audioBitrate
        }
    }

    /// The recording of a stream, as far as it is supported here.
    public struct Recording: Hashable, Sendable {
        public var hlsVod: Bool?
        public var singleFilePerLayer: Bool?
        /// The recorded ones among the streamed layers; nil for all.
        public var layers: [Layer]?
        public var thumbnails: ThumbnailOptions?
        /// Roomcast's own: the tracks to record each by itself.
        public var tracks: TrackOptions?

        public init(
            hlsVod: Bool? = nil, singleFilePerLayer: Bool? = nil,
            thumbnails: ThumbnailOptions? = nil, tracks: TrackOptions? = nil
        ) {
            self.hlsVod = hlsVod
            self.singleFilePerLayer = singleFilePerLayer
            self.thumbnails = thumbnails
            self.tracks = tracks
        }
    }

    public var name: String?
    /// In seconds.
    public var maxDuration: Int?
    public var layers: [Layer]?
    /// In frames per second.
    public var videoFrameRate: Int?
    /// `event` or `live`, as in `stream.playlist`.
    public var playlistType: String?
    /// Of a live playlist.
    public var numPlaylistSegments: Int?
    /// `ts`, `cmaf` or `both`, as in `stream.container`.
    public var container: String?
    /// The languages of captions, as in the control API's start request.
    public var captions: JSONValue?
    /// As `stream.lowLatency`.
    public var lowLatency: Bool?
    /// How long the room may be empty before a stream stops by itself, in seconds.
    public var autoStopTimeout: Int?
    /// How long the room may be without published tracks, in seconds.
    public var idleTimeout: Int?
    /// When a stream starts by itself, as in `stream.autoStart`.
    public var autoStart: String?
    /// How long the signed addresses of its streams are valid, in seconds, as in
    /// `stream.signedPlaybackSeconds`.
    public var signedPlaybackSeconds: Int?
    /// The recording of its streams unless a request differs.
    public var recording: Recording?
    /// How long files of recordings are kept, in seconds; nil for the server's time.
    public var keptSeconds: Int?
    /// The layout of the picture, in the control API's form.
    public var layout: JSONValue?

    public init(name: String? = nil, layers: [Layer]? = nil) {
        self.name = name
        self.layers = layers
    }
}
