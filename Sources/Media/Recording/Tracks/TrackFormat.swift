import Matroska
import MediaKernel
import Ogg

/// How the frames of a recorded track are encoded.
public enum TrackCodec: String, Hashable, Sendable, Codable {
    case vp8, vp9, h264, av1, opus

    public var isVideo: Bool { self != .opus }
    /// Ticks per second of the RTP clock.
    public var clockRate: Int64 { isVideo ? 90_000 : 48_000 }
}

/// What all frames of one file have in common.
public struct TrackFormat: Hashable, Sendable, Codable {
    public var codec: TrackCodec
    /// Luma samples; 0 for sound.
    public var width: Int
    public var height: Int
    /// Clockwise degrees by which to turn the picture.
    public var rotation: Int
    /// 0 for pictures.
    public var channels: Int
    /// What the decoder must know before the first frame, in hexadecimal digits.
    private var configurationText: String

    /// What the decoder must know before the first frame, in the form of the file's container.
    public var configuration: [UInt8] { Hexadecimal.bytes(configurationText) ?? [] }

    public init(
        _ codec: TrackCodec, width: Int = 0, height: Int = 0, rotation: Int = 0,
        channels: Int = 0, configuration: [UInt8] = []
    ) {
        self.codec = codec
        self.width = width
        self.height = height
        self.rotation = rotation
        self.channels = channels
        configurationText = Hexadecimal.text(configuration)
    }

    enum CodingKeys: String, CodingKey {
        case codec, width, height, rotation, channels
        case configurationText = "configuration"
    }

    /// As a track of a Matroska file.
    var matroska: MatroskaTrack {
        let id =
            switch codec {
            case .vp8: "V_VP8"
            case .vp9: "V_VP9"
            case .av1: "V_AV1"
            case .h264: "V_MPEG4/ISO/AVC"
            case .opus: "A_OPUS"
            }
        guard codec.isVideo else {
            // In nanoseconds: what OpusHead says in samples, and what RFC 7845 sect. 4.6 wants.
            return MatroskaTrack(
                .audio(channels: channels, sampleRate: Int(OpusPacket.sampleRate)), codecID: id,
                codecPrivate: configuration,
                codecDelay: UInt64(OpusPacket.lookahead) * 1_000_000 / 48, seekPreRoll: 80_000_000)
        }
        return MatroskaTrack(
            .video(width: width, height: height, rotation: rotation), codecID: id,
            codecPrivate: configuration)
    }
}
