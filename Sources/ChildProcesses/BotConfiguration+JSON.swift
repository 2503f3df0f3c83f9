import HLS
import MediaKernel
import Stage

extension BotConfiguration: Codable {
    private enum CodingKeys: String, CodingKey {
        case room = "room_id"
        case stream = "stream_id"
        case segmentSeconds = "segment_seconds"
        case playlist, layout, preset, encoder, ladder, audio
        case pictureHosts = "picture_hosts"
        case picturesOverHTTP = "picture_http"
        case isRecorded = "recorded"
        case isRecordingPaused = "recording_paused"
        case logLevel = "log_level"
        case logFormat = "log_format"
    }

    private struct Playlist: Codable {
        var mode: String
        var window: Int?
    }

    private struct Rung: Codable {
        var width: Int
        var height: Int
        var frameRate: Int
        var videoBitrate: Int
        var audioBitrate: Int

        enum CodingKeys: String, CodingKey {
            case width, height
            case frameRate = "frame_rate"
            case videoBitrate = "video_bitrate"
            case audioBitrate = "audio_bitrate"
        }

        init(_ layer: Layer) {
            width = layer.width
            height = layer.height
            frameRate = layer.frameRate
            videoBitrate = layer.videoBitrate
            audioBitrate = layer.audioBitrate
        }

        var layer: Layer {
            Layer(
                width: width, height: height, frameRate: frameRate, videoBitrate: videoBitrate,
                audioBitrate: audioBitrate)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(room, forKey: .room)
        try container.encode(stream, forKey: .stream)
        try container.encode(segmentDuration.inSeconds, forKey: .segmentSeconds)
        switch playlist {
        case .event: try container.encode(Playlist(mode: "event"), forKey: .playlist)
        case .live(let window):
            try container.encode(Playlist(mode: "live", window: window), forKey: .playlist)
        }
        try container.encode(layout.json, forKey: .layout)
        try container.encode(pictureHosts.names, forKey: .pictureHosts)
        try container.encode(pictureHosts.allowsHTTP, forKey: .picturesOverHTTP)
        try container.encode(preset, forKey: .preset)
        try container.encode(self.encoder, forKey: .encoder)
        try container.encode(ladder.layers.map { Rung($0) }, forKey: .ladder)
        try container.encode(audio, forKey: .audio)
        try container.encode(isRecorded, forKey: .isRecorded)
        try container.encode(isRecordingPaused, forKey: .isRecordingPaused)
        try container.encode(logLevel, forKey: .logLevel)
        try container.encode(logFormat, forKey: .logFormat)
    }

    /// A file written by hand may leave out what has a usual value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func refusal(of key: CodingKeys, _ reason: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: reason)
        }
        let layers = try container.decode([Rung].self, forKey: .ladder).map(\.layer)
        let ladder: Ladder
        do throws(LadderError) {
            ladder = try Ladder(validating: layers)
        } catch {
            throw refusal(of: .ladder, error.description)
        }
        let written = try container.decode(Playlist.self, forKey: .playlist)
        let playlist: PlaylistMode
        switch (written.mode, written.window) {
        case ("event", _): playlist = .event
        case ("live", let window?) where window > 0: playlist = .live(window: window)
        default: throw refusal(of: .playlist, "mode '\(written.mode)' is not known")
        }
        // What it leaves out is `Layout()`'s.
        let json = try container.found(.layout, or: JSONValue.object([:]))
        var layout = Layout()
        do throws(LayoutError) {
            try layout.merge(json)
        } catch {
            throw refusal(of: .layout, error.description)
        }
        let names = try container.found(.pictureHosts, or: [String]())
        let allowsHTTP = try container.found(.picturesOverHTTP, or: false)
        guard let hosts = PictureHosts(names, allowsHTTP: allowsHTTP) else {
            throw refusal(of: .pictureHosts, "\(names) are not hosts")
        }
        self.init(
            room: try container.decode(RoomID.self, forKey: .room),
            stream: try container.decode(StreamID.self, forKey: .stream), ladder: ladder,
            audio: try container.found(.audio, or: Audio()),
            segmentDuration: .seconds(try container.decode(Double.self, forKey: .segmentSeconds)),
            playlist: playlist, layout: layout, pictureHosts: hosts,
            preset: try container.decode(String.self, forKey: .preset),
            encoder: try container.decode(String.self, forKey: .encoder),
            isRecorded: try container.found(.isRecorded, or: false),
            isRecordingPaused: try container.found(.isRecordingPaused, or: false),
            logLevel: try container.found(.logLevel, or: "info"),
            logFormat: try container.found(.logFormat, or: "logfmt"))
    }
}
