#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `tracks.json`: which file has which track, and where each belongs on the common clock. All times
/// are whole milliseconds; the common clock begins with the recording.
public struct TrackIndex: Hashable, Sendable, Codable {
    public static let fileName = "tracks.json"

    public var version = 1
    public var streamID: String
    public var roomID: String
    public var sessionID: String
    /// The wall clock's time at the common clock's zero, in milliseconds since 1970.
    public var startedAt: Int64
    /// Until the end of the last file.
    public var duration: Int64
    public var tracks: [Track]
    /// Files made of several tracks; nil for none.
    public var compositions: [Composition]?

    public struct Track: Hashable, Sendable, Codable {
        public var id: String
        /// `audio` or `video`.
        public var type: String
        public var source: String
        public var peer: Peer
        public var mutes: [Mute]
        public var files: [File]
    }

    public struct Peer: Hashable, Sendable, Codable {
        public var id: String
        public var name: String
        public var role: String

        public init(_ track: RecordedTrack) {
            (id, name, role) = (track.peer, track.name, track.role)
        }
    }

    /// On the common clock.
    public struct Mute: Hashable, Sendable, Codable {
        public var from: Int64
        /// Nil if it lasted to the end.
        public var to: Int64?

        enum CodingKeys: String, CodingKey {
            case from = "from_ms"
            case to = "to_ms"
        }
    }

    /// In the file's own time: it has silence, or the last picture, meanwhile.
    public struct Gap: Hashable, Sendable, Codable {
        public var from: Int64
        public var to: Int64
        public var reason: TrackGap

        enum CodingKeys: String, CodingKey {
            case from = "from_ms"
            case to = "to_ms"
            case reason
        }
    }

    public struct File: Hashable, Sendable, Codable {
        public var name: String
        public var assetID: String
        public var codec: TrackCodec
        /// `ogg`, `webm` or `mp4`.
        public var container: String
        /// The file's first frame, on the common clock.
        public var start: Int64
        public var duration: Int64
        public var bytes: UInt64
        /// Frames or packets of the sender; without inserted silence.
        public var frames: Int
        /// Inserted packets of silence, and packets for which there was no room.
        public var silences: Int?
        public var leftOut: Int?
        public var width: Int?
        public var height: Int?
        /// Clockwise degrees by which to turn the picture.
        public var rotation: Int?
        /// Of the sender's clock against the common one, already taken out of the file's times.
        public var drift: Double
        public var gaps: [Gap]

        enum CodingKeys: String, CodingKey {
            case name, codec, container, bytes, frames, width, height, rotation, gaps
            case assetID = "asset_id"
            case start = "start_ms"
            case duration = "duration_ms"
            case silences = "inserted_silences"
            case leftOut = "left_out_packets"
            case drift = "drift_ppm"
        }
    }

    /// A file made of several tracks.
    public struct Composition: Hashable, Sendable, Codable {
        public enum Kind: String, Hashable, Sendable, Codable {
            /// The tracks of one peer.
            case stream
            /// The sound of all.
            case mix = "audio-mix"
        }

        public var kind: Kind
        public var name: String
        public var assetID: String
        /// On the common clock.
        public var start: Int64
        public var duration: Int64
        public var bytes: UInt64
        /// Of a `stream`, as `source`: that of the tracks.
        public var peer: Peer?
        public var source: String?
        /// `h264`, and whether the sender's own pictures were kept; nil without pictures.
        public var video: String?
        public var isCopied: Bool?
        public var width: Int?
        public var height: Int?
        /// `aac`, `flac`, `pcm`; nil without sound.
        public var audio: String?
        /// Of a mix.
        public var sampleRate: Int?
        public var channels: Int?
        /// The peers on the left of a mix of two channels, by their ids; the others are on the right.
        public var left: [String]?
        /// CRC-32 of the file, for the archive alone.
        public var checksum: UInt32 = 0

        public init(
            _ kind: Kind, name: String, assetID: String, start: Int64, duration: Int64,
            size: MeteredFile.Size
        ) {
            self.kind = kind
            self.name = name
            self.assetID = assetID
            self.start = start
            self.duration = duration
            bytes = size.byteCount
            checksum = size.checksum
        }

        enum CodingKeys: String, CodingKey {
            case name, bytes, peer, source, video, width, height, audio, channels, left
            case kind = "type"
            case assetID = "asset_id"
            case start = "start_ms"
            case duration = "duration_ms"
            case isCopied = "video_copied"
            case sampleRate = "sample_rate"
        }
    }

    enum CodingKeys: String, CodingKey {
        case version, tracks, compositions
        case streamID = "stream_id"
        case roomID = "room_id"
        case sessionID = "session_id"
        case startedAt = "started_at_unix_ms"
        case duration = "duration_ms"
    }

    /// The text of the file.
    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("an index holds texts and numbers, which always encode")
        }
        return Array(data) + [10]
    }
}
