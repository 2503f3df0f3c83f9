internal import MediaKernel
public import Rooms

// The destinations and settings of a template (docs/API.md). Any field may be missing.

/// `hlsDestinations`. Roomcast's own are `idleTimeout`, `autoStart`, `signedPlaybackSeconds` and
/// `layout`.
extension HLSDestination: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, maxDuration, layers, videoFrameRate, playlistType, numPlaylistSegments,
            autoStopTimeout, idleTimeout, autoStart, signedPlaybackSeconds, recording, layout
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        maxDuration = try values.decodeIfPresent(Int.self, forKey: .maxDuration)
        layers = try values.decodeIfPresent([Layer].self, forKey: .layers)
        videoFrameRate = try values.decodeIfPresent(Int.self, forKey: .videoFrameRate)
        playlistType = try values.decodeIfPresent(String.self, forKey: .playlistType)
        numPlaylistSegments = try values.decodeIfPresent(Int.self, forKey: .numPlaylistSegments)
        autoStopTimeout = try values.decodeIfPresent(Int.self, forKey: .autoStopTimeout)
        idleTimeout = try values.decodeIfPresent(Int.self, forKey: .idleTimeout)
        autoStart = try values.decodeIfPresent(String.self, forKey: .autoStart)
        signedPlaybackSeconds = try values.decodeIfPresent(Int.self, forKey: .signedPlaybackSeconds)
        recording = try values.decodeIfPresent(Recording.self, forKey: .recording)
        layout = try values.decodeIfPresent(JSONValue.self, forKey: .layout)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encodeIfPresent(maxDuration, forKey: .maxDuration)
        try values.encodeIfPresent(layers, forKey: .layers)
        try values.encodeIfPresent(videoFrameRate, forKey: .videoFrameRate)
        try values.encodeIfPresent(playlistType, forKey: .playlistType)
        try values.encodeIfPresent(numPlaylistSegments, forKey: .numPlaylistSegments)
        try values.encodeIfPresent(autoStopTimeout, forKey: .autoStopTimeout)
        try values.encodeIfPresent(idleTimeout, forKey: .idleTimeout)
        try values.encodeIfPresent(autoStart, forKey: .autoStart)
        try values.encodeIfPresent(signedPlaybackSeconds, forKey: .signedPlaybackSeconds)
        try values.encodeIfPresent(recording, forKey: .recording)
        try values.encodeIfPresent(layout, forKey: .layout)
    }
}

extension HLSDestination.Layer: Codable {
    private enum CodingKeys: String, CodingKey {
        case width, height, videoBitrate, audioBitrate
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        width = try values.decodeIfPresent(Int.self, forKey: .width)
        height = try values.decodeIfPresent(Int.self, forKey: .height)
        videoBitrate = try values.decodeIfPresent(Int.self, forKey: .videoBitrate)
        audioBitrate = try values.decodeIfPresent(Int.self, forKey: .audioBitrate)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(width, forKey: .width)
        try values.encodeIfPresent(height, forKey: .height)
        try values.encodeIfPresent(videoBitrate, forKey: .videoBitrate)
        try values.encodeIfPresent(audioBitrate, forKey: .audioBitrate)
    }
}

extension HLSDestination.Recording: Codable {
    private enum CodingKeys: String, CodingKey {
        case hlsVod, singleFilePerLayer, layers, thumbnails
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        hlsVod = try values.decodeIfPresent(Bool.self, forKey: .hlsVod)
        singleFilePerLayer = try values.decodeIfPresent(Bool.self, forKey: .singleFilePerLayer)
        layers = try values.decodeIfPresent([HLSDestination.Layer].self, forKey: .layers)
        thumbnails = try values.decodeIfPresent(ThumbnailOptions.self, forKey: .thumbnails)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(hlsVod, forKey: .hlsVod)
        try values.encodeIfPresent(singleFilePerLayer, forKey: .singleFilePerLayer)
        try values.encodeIfPresent(layers, forKey: .layers)
        try values.encodeIfPresent(thumbnails, forKey: .thumbnails)
    }
}

/// `browserRecordings`, named after the browser with which 100ms records. Roomcast's own are
/// `idleTimeout`, `autoStart` and `layout`.
extension RecordingDestination: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, width, height, maxDuration, autoStopTimeout, idleTimeout, autoStart, thumbnails,
            layout
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        width = try values.decodeIfPresent(Int.self, forKey: .width)
        height = try values.decodeIfPresent(Int.self, forKey: .height)
        maxDuration = try values.decodeIfPresent(Int.self, forKey: .maxDuration)
        autoStopTimeout = try values.decodeIfPresent(Int.self, forKey: .autoStopTimeout)
        idleTimeout = try values.decodeIfPresent(Int.self, forKey: .idleTimeout)
        autoStart = try values.decodeIfPresent(Bool.self, forKey: .autoStart)
        thumbnails = try values.decodeIfPresent(ThumbnailOptions.self, forKey: .thumbnails)
        layout = try values.decodeIfPresent(JSONValue.self, forKey: .layout)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encodeIfPresent(width, forKey: .width)
        try values.encodeIfPresent(height, forKey: .height)
        try values.encodeIfPresent(maxDuration, forKey: .maxDuration)
        try values.encodeIfPresent(autoStopTimeout, forKey: .autoStopTimeout)
        try values.encodeIfPresent(idleTimeout, forKey: .idleTimeout)
        try values.encodeIfPresent(autoStart, forKey: .autoStart)
        try values.encodeIfPresent(thumbnails, forKey: .thumbnails)
        try values.encodeIfPresent(layout, forKey: .layout)
    }
}

/// `settings.roomState`.
extension RoomStateSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case isEnabled = "enabled"
        case sendsPeers = "sendPeerList"
        case interval = "messageInterval"
    }

    /// Missing fields get 100ms' defaults.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        isEnabled = try values.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? isEnabled
        sendsPeers = try values.decodeIfPresent(Bool.self, forKey: .sendsPeers) ?? sendsPeers
        interval = try values.decodeIfPresent(Int.self, forKey: .interval) ?? interval
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(isEnabled, forKey: .isEnabled)
        try values.encode(sendsPeers, forKey: .sendsPeers)
        try values.encode(interval, forKey: .interval)
    }
}
