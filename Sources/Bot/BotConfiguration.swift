import Foundation
import HLS
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
    let fit: String
    let preset: String
    let encoder: String
    let ladder: [Rung]
    let audio: Audio?
    public let logLevel: String?
    public let logFormat: String?

    enum CodingKeys: String, CodingKey {
        case roomID = "room_id"
        case streamID = "stream_id"
        case frameRate = "frame_rate"
        case segmentSeconds = "segment_seconds"
        case playlist, fit, preset, encoder, ladder, audio
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
        guard let fit = TileFit(rawValue: fit) else {
            throw BotError.configuration("fit '\(self.fit)' is neither crop nor letterbox")
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
            outputDirectory: outputDirectory, title: roomID, fit: fit, preset: preset,
            encoder: encoder,
            sound: SoundOptions(
                roles: audio?.roles.map(Set.init), isAlone: audio?.only ?? false))
    }
}

public enum BotError: Error, Hashable, Sendable, CustomStringConvertible {
    case configuration(String)

    public var description: String {
        switch self {
        case .configuration(let what): "bot configuration: \(what)"
        }
    }
}
