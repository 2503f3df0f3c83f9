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
        let rungs = ladder.layers.map {
            Rung(
                width: $0.width, height: $0.height, frameRate: $0.frameRate,
                videoBitrate: $0.videoBitrate, audioBitrate: $0.audioBitrate)
        }
        try container.encode(rungs, forKey: .ladder)
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
        let layers = try container.decode([Rung].self, forKey: .ladder).map {
            Layer(
                width: $0.width, height: $0.height, frameRate: $0.frameRate,
                videoBitrate: $0.videoBitrate, audioBitrate: $0.audioBitrate)
        }
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
        let json = try container.decodeIfPresent(JSONValue.self, forKey: .layout)
        var layout = Layout()
        do throws(LayoutError) {
            try layout.merge(json ?? .object([:]))
        } catch {
            throw refusal(of: .layout, error.description)
        }
        let names = try container.decodeIfPresent([String].self, forKey: .pictureHosts) ?? []
        let allowsHTTP = try container.decodeIfPresent(Bool.self, forKey: .picturesOverHTTP)
        guard let hosts = PictureHosts(names, allowsHTTP: allowsHTTP ?? false) else {
            throw refusal(of: .pictureHosts, "\(names) are not hosts")
        }
        self.init(
            room: try container.decode(RoomID.self, forKey: .room),
            stream: try container.decode(StreamID.self, forKey: .stream), ladder: ladder,
            audio: try container.decodeIfPresent(Audio.self, forKey: .audio) ?? Audio(),
            segmentDuration: .seconds(try container.decode(Double.self, forKey: .segmentSeconds)),
            playlist: playlist, layout: layout, pictureHosts: hosts,
            preset: try container.decode(String.self, forKey: .preset),
            encoder: try container.decode(String.self, forKey: .encoder),
            isRecorded: try container.decodeIfPresent(Bool.self, forKey: .isRecorded) ?? false,
            isRecordingPaused:
                try container.decodeIfPresent(Bool.self, forKey: .isRecordingPaused) ?? false,
            logLevel: try container.decodeIfPresent(String.self, forKey: .logLevel) ?? "info",
            logFormat: try container.decodeIfPresent(String.self, forKey: .logFormat) ?? "logfmt")
    }
}
