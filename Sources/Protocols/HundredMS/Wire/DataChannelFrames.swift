public import MediaKernel

/// `prefer-video-track-state`, on the data channel.
public struct PreferVideoParameters: Hashable, Sendable, Codable {
    public var trackID: TrackID
    public var maxSpatialLayer: LayerPreference?

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

/// The answer to both. 100ms' web client reads nothing in it, its Android library the track.
struct PreferStateResult: Encodable {
    var trackID: TrackID

    enum CodingKeys: String, CodingKey { case trackID = "track_id" }
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

/// `on-connection-quality-update`, on the data channel: how well peers are reached. Peers that it
/// does not list are unchanged.
public struct ConnectionQualityPayload: Hashable, Sendable, Codable {
    public struct Peer: Hashable, Sendable, Codable {
        public var peerID: PeerID
        /// 0 (nothing arrives) to 5 (everything requested arrives).
        public var downlinkScore: Int

        enum CodingKeys: String, CodingKey {
            case peerID = "peer_id"
            case downlinkScore = "downlink_score"
        }
    }

    public var peers: [Peer]
}

/// `on-track-layer-update`, on the data channel: the layers of some videos that a client receives.
public struct TrackLayersPayload: Hashable, Sendable, Codable {
    public struct Track: Hashable, Sendable, Codable {
        public var trackID: TrackID
        public var currentLayer: LayerPreference
        public var expectedLayer: LayerPreference
        public var isSubscriberDegraded: Bool
        public var isPublisherDegraded: Bool
        /// The available layers, lowest first. A Roomcast extension: 100ms does not send it.
        public var layers: [Layer]?

        public init(
            trackID: TrackID, currentLayer: LayerPreference,
            expectedLayer: LayerPreference, isSubscriberDegraded: Bool,
            isPublisherDegraded: Bool, layers: [Layer]? = nil
        ) {
            self.trackID = trackID
            self.currentLayer = currentLayer
            self.expectedLayer = expectedLayer
            self.isSubscriberDegraded = isSubscriberDegraded
            self.isPublisherDegraded = isPublisherDegraded
            self.layers = layers
        }

        enum CodingKeys: String, CodingKey {
            case trackID = "track_id"
            case currentLayer = "current_layer"
            case expectedLayer = "expected_layer"
            case isSubscriberDegraded = "subscriber_degraded"
            case isPublisherDegraded = "publisher_degraded"
            case layers
        }
    }

    /// One layer of a video.
    public struct Layer: Hashable, Sendable, Codable {
        public var layer: LayerPreference
        /// In pixels, before rotation.
        public var width: Int
        public var height: Int

        public init(layer: LayerPreference, width: Int, height: Int) {
            self.layer = layer
            self.width = width
            self.height = height
        }
    }

    /// Keyed by track id.
    public var tracks: [String: Track]

    public init(tracks: [Track]) {
        self.tracks = Dictionary(tracks.map { ($0.trackID.rawValue, $0) }) { _, last in last }
    }

    /// Nil for any other frame of the channel.
    public init?(frame text: String) {
        guard let frame = try? IncomingFrame(text, limits: .own),
            frame.head.method == DataChannelMethod.onTrackLayerUpdate.rawValue,
            let payload = try? frame.parameters(Self.self)
        else { return nil }
        self = payload
    }
}

struct DataRequestFrame<Parameters: Encodable>: Encodable {
    var id: RequestID
    var jsonrpc = "2.0"
    var method: String
    var params: Parameters
}
