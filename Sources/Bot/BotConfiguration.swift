import Foundation
import HLS
import MediaKernel
import Pipeline
import Stage

/// What the server tells a bot about its stream: the JSON file of `roomcast bot --configuration`.
public struct BotConfiguration: Decodable, Sendable {
    struct Playlist: Decodable {
        let mode: String
        let window: Int?
    }

    struct Rung: Decodable {
        let width: Int
        let height: Int
        let frameRate: Int
        let videoBitrate: Int
        let audioBitrate: Int

        enum CodingKeys: String, CodingKey {
            case width, height
            case frameRate = "frame_rate"
            case videoBitrate = "video_bitrate"
            case audioBitrate = "audio_bitrate"
        }
    }

    /// Whose sound, and whether nothing else.
    struct Audio: Decodable {
        let roles: [String]?
        let only: Bool
    }

    public let roomID: String
    public let streamID: String
    let frameRate: Int
    let segmentSeconds: Double
    let playlist: Playlist
    /// As the control API writes it; what it leaves out is `Layout()`'s.
    let layout: JSONValue?
    /// Hosts that pictures may be fetched from.
    let pictureHosts: [String]?
    let picturesOverHTTP: Bool?
    let preset: String
    let encoder: String
    let ladder: [Rung]
    let audio: Audio?
    let isRecorded: Bool?
    let isRecordingPaused: Bool?
    public let logLevel: String?
    public let logFormat: String?

    enum CodingKeys: String, CodingKey {
        case roomID = "room_id"
        case streamID = "stream_id"
        case frameRate = "frame_rate"
        case segmentSeconds = "segment_seconds"
        case playlist, layout, preset, encoder, ladder, audio
        case pictureHosts = "picture_hosts"
        case picturesOverHTTP = "picture_http"
        case isRecorded = "recorded"
        case isRecordingPaused = "recording_paused"
        case logLevel = "log_level"
        case logFormat = "log_format"
    }

    /// Bytes of a configuration file.
    static let bytesMaximum = 1 << 20

    /// Reads a file. Throws a description of what is wrong with it.
    public static func read(_ path: String) throws -> BotConfiguration {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        guard data.count <= bytesMaximum else {
            throw BotError.configuration("\(path) is larger than \(bytesMaximum) bytes")
        }
        do {
            return try JSONDecoder().decode(BotConfiguration.self, from: data)
        } catch {
            throw BotError.configuration("\(path): \(error)")
        }
    }

    func pipeline(outputDirectory: String) throws -> PipelineConfiguration {
        let layers = ladder.map {
            Layer(
                width: $0.width, height: $0.height, frameRate: $0.frameRate,
                videoBitrate: $0.videoBitrate, audioBitrate: $0.audioBitrate)
        }
        var layout = Layout()
        do throws(LayoutError) {
            try layout.merge(self.layout ?? .object([:]))
        } catch {
            throw BotError.configuration(error.description)
        }
        let mode: PlaylistMode
        switch (playlist.mode, playlist.window) {
        case ("event", _): mode = .event
        case ("live", let window?) where window > 0: mode = .live(window: window)
        default: throw BotError.configuration("playlist mode '\(playlist.mode)' is not known")
        }
        return PipelineConfiguration(
            ladder: try Ladder(validating: layers), frameRate: frameRate,
            segmentDuration: .seconds(segmentSeconds), playlist: mode,
            outputDirectory: outputDirectory, title: roomID, layout: layout,
            preset: preset, encoder: encoder,
            sound: SoundOptions(
                roles: audio?.roles.map(Set.init), isAlone: audio?.only ?? false),
            isRecorded: isRecorded ?? false, isRecordingPaused: isRecordingPaused ?? false)
    }

    func hosts() throws -> PictureHosts {
        let names = pictureHosts ?? []
        guard let hosts = PictureHosts(names, allowsHTTP: picturesOverHTTP ?? false) else {
            throw BotError.configuration("picture_hosts \(names) are not hosts")
        }
        return hosts
    }
}

public enum BotError: Error, Hashable, Sendable, CustomStringConvertible {
    case configuration(String)
    /// Another process writes into the stream's directory and does not end.
    case inUse(String)

    public var description: String {
        switch self {
        case .configuration(let what): "bot configuration: \(what)"
        case .inUse(let path): "\(path) is in use by another process"
        }
    }
}
