import ControlAPI
import Foundation
import HLS
import MediaKernel
import Stage

/// The settings of one stream, as the JSON file that its bots read.
struct BotConfigurationFile: Encodable {
    var room: RoomID
    var stream: StreamID
    var ladder: Ladder
    var audio: LiveStreamAudio
    var segmentDuration: Duration
    var playlist: PlaylistMode
    var layout: Layout
    var pictureHosts: PictureHosts
    var preset: String
    var encoder: String
    /// Whether segments are logged and kept for assets.
    var isRecorded: Bool
    var isRecordingPaused: Bool
    var logLevel: String
    var logFormat: String

    /// Hidden, so that the origin never serves it.
    static let name = ".bot.json"

    enum CodingKeys: String, CodingKey {
        case room = "room_id"
        case stream = "stream_id"
        case frameRate = "frame_rate"
        case segmentSeconds = "segment_seconds"
        case playlist
        case layout
        case pictureHosts = "picture_hosts"
        case picturesOverHTTP = "picture_http"
        case preset
        case encoder
        case ladder
        case audio
        case isRecorded = "recorded"
        case isRecordingPaused = "recording_paused"
        case logLevel = "log_level"
        case logFormat = "log_format"
    }

    private struct Playlist: Encodable {
        var mode: String
        var window: Int?
    }

    private struct Rung: Encodable {
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

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(room, forKey: .room)
        try container.encode(stream, forKey: .stream)
        try container.encode(ladder.frameRate, forKey: .frameRate)
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

    /// Writes the file for its owner's eyes only.
    ///
    /// - Returns: its path.
    func write(to directory: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let path = "\(directory)/\(Self.name)"
        try encoder.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }
}
