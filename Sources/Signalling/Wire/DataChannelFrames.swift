public import MediaKernel

/// The best simulcast layer that a client wishes to receive of a video.
public enum VideoLayerPreference: String, Hashable, Sendable, Codable {
    case none, low, medium, high
}

/// `prefer-video-track-state`, on the data channel.
public struct PreferVideoParameters: Hashable, Sendable, Codable {
    public var trackID: TrackID
    public var maxSpatialLayer: VideoLayerPreference?

    enum CodingKeys: String, CodingKey {
        case trackID = "track_id"
        case maxSpatialLayer = "max_spatial_layer"
    }
}

/// `prefer-audio-track-state`, on the data channel.
public struct PreferAudioParameters: Hashable, Sendable, Codable {
    public var trackID: TrackID
    public var subscribed: Bool?

    enum CodingKeys: String, CodingKey {
        case trackID = "track_id"
        case subscribed
    }
}

/// `active-speakers`, on the data channel: loudest first, empty when nobody speaks.
public struct ActiveSpeakersPayload: Hashable, Sendable, Codable {
    public struct Speaker: Hashable, Sendable, Codable {
        public var peerID: PeerID
        public var trackID: TrackID
        /// 0 to 100.
        public var level: Int

        enum CodingKeys: String, CodingKey {
            case peerID = "peer_id"
            case trackID = "track_id"
            case level
        }
    }

    public var speakerList: [Speaker]

    enum CodingKeys: String, CodingKey { case speakerList = "speaker-list" }
}

struct DataRequestFrame<Parameters: Encodable>: Encodable {
    var id: RequestID
    var jsonrpc = "2.0"
    var method: String
    var params: Parameters
}
