public import MediaKernel

/// How a room's streams are made: `hlsDestinations` of a 100ms template
/// (docs/API.md). What is missing is the server's default.
public struct HLSDestination: Hashable, Sendable, Codable {
    /// One rung of the ladder. An empty object stands for the server's default of that rung.
    public struct Layer: Hashable, Sendable, Codable {
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

    /// What is to be kept of a stream, as far as it is asked for here.
    public struct Recording: Hashable, Sendable, Codable {
        public var hlsVod: Bool?
        public var singleFilePerLayer: Bool?
        /// Those of the streamed ones that are kept; nil for all.
        public var layers: [Layer]?
        public var thumbnails: ThumbnailWish?

        public init(
            hlsVod: Bool? = nil, singleFilePerLayer: Bool? = nil,
            thumbnails: ThumbnailWish? = nil
        ) {
            self.hlsVod = hlsVod
            self.singleFilePerLayer = singleFilePerLayer
            self.thumbnails = thumbnails
        }
    }

    public var name: String?
    /// In seconds.
    public var maxDuration: Int?
    public var layers: [Layer]?
    /// In frames a second.
    public var videoFrameRate: Int?
    /// `event` or `live`, as `stream.playlist` has it.
    public var playlistType: String?
    /// Of a live playlist.
    public var numPlaylistSegments: Int?
    /// How long the room may be empty before a stream stops by itself, in seconds.
    public var autoStopTimeout: Int?
    /// Roomcast's own: how long nothing may be published, in seconds.
    public var idleTimeout: Int?
    /// Roomcast's own: when a stream starts by itself, as `stream.autoStart` has it.
    public var autoStart: String?
    /// Roomcast's own: how long its streams' addresses hold, which are signed then, in seconds, as
    /// `stream.signedPlaybackSeconds` has it.
    public var signedPlaybackSeconds: Int?
    /// What is kept of its streams unless a request says otherwise.
    public var recording: Recording?
    /// Roomcast's own: what the picture is to look like, as the control API writes it.
    public var layout: JSONValue?

    public init(name: String? = nil, layers: [Layer]? = nil) {
        self.name = name
        self.layers = layers
    }
}
