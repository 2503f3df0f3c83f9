public import MediaKernel

/// One file made from a stream. The recording's `manifest.json` has the same JSON.
public struct CatalogueAsset: Hashable, Sendable, Codable {
    /// 100ms' names.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case roomComposite = "room-composite"
        case roomVOD = "room-vod"
        case chat
        /// What was said, in one language and one format.
        case transcript
        /// One track of a peer.
        case track
        /// The picture and the sound of one peer together.
        case stream
        /// Roomcast's own: the sound of all tracks.
        case audioMix = "audio-mix"
        /// Roomcast's own: which track is in which file, and when.
        case trackIndex = "track-index"
        /// Roomcast's own: an archive of the tracks and their index.
        case individual
    }

    public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        case completed, failed
        /// The asset has expired and its file is gone.
        case expired
    }

    /// Consists of `[A-Za-z0-9_-]`.
    public var id: String
    public var stream: StreamID
    public var room: RoomID
    public var session: SessionID?
    public var kind: Kind
    public var status: Status
    /// Relative to the root of recordings.
    public var path: String
    public var byteCount: Int64
    /// Nil for assets that are not playable.
    public var duration: Duration? {
        get { nanoseconds.map { .nanoseconds($0) } }
        set { nanoseconds = newValue?.nanoseconds }
    }
    private var nanoseconds: Int64?
    public var createdAt: UnixTime
    /// Nil means never.
    public var expiresAt: UnixTime?
    /// The picture's size, of the best layer if there are several; nil for sound and text.
    public var size: Size?
    /// The index of the layer, 0 for the best; nil for an asset of all layers.
    public var layer: Int?
    /// The number of layers in the asset; nil for assets without layers.
    public var layerCount: Int?
    /// The location in a store, `s3://bucket/key`; nil while the asset is only local.
    public var location: String?

    /// Thumbnails of the recording, shared by all its assets with a picture.
    public var thumbnails: RecordingThumbnails?

    /// The track of an asset of that kind; of a `stream` its peer, without a track's id.
    public var track: Track?

    /// Of an asset of that kind.
    public var transcript: Transcript?

    /// The language and the form of a transcript.
    public struct Transcript: Hashable, Sendable, Codable {
        public var language: String
        /// The language's, for people.
        public var name: String
        /// `txt`, `srt`, `vtt` or `json`.
        public var format: String

        public init(language: String, name: String, format: String) {
            self.language = language
            self.name = name
            self.format = format
        }

        enum CodingKeys: String, CodingKey {
            case language
            case name = "language_name"
            case format = "output_mode"
        }
    }

    /// A track in its file.
    public struct Track: Hashable, Sendable, Codable {
        public var id: String
        /// The peer's id, and its name and role when the file began.
        public var peer: String
        public var name: String
        public var role: String
        /// As in the protocol: `regular`, `screen`.
        public var source: String
        public var codec: String
        /// The file's beginning in milliseconds after the recording's.
        public var start: Int64

        public init(
            id: String, peer: String, name: String, role: String, source: String, codec: String,
            start: Int64
        ) {
            self.id = id
            self.peer = peer
            self.name = name
            self.role = role
            self.source = source
            self.codec = codec
            self.start = start
        }

        enum CodingKeys: String, CodingKey {
            case id, role, source, codec
            case peer = "peer_id"
            case name = "peer_name"
            case start = "start_ms"
        }
    }

    /// The location of another file of the recording in the same store; nil while in no store.
    ///
    /// - Parameter path: relative to the root of recordings, as `path`.
    public func location(of path: String) -> String? {
        guard let location, location.hasSuffix("/\(self.path)") else { return nil }
        return location.dropLast(self.path.utf8.count) + path
    }

    /// Luma samples.
    public struct Size: Hashable, Sendable, Codable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    public init(
        id: String, stream: StreamID, room: RoomID, session: SessionID? = nil, kind: Kind,
        status: Status = .completed, path: String, byteCount: Int64, duration: Duration? = nil,
        createdAt: UnixTime, expiresAt: UnixTime? = nil, size: Size? = nil, layer: Int? = nil,
        layerCount: Int? = nil
    ) {
        self.id = id
        self.stream = stream
        self.room = room
        self.session = session
        self.kind = kind
        self.status = status
        self.path = path
        self.byteCount = byteCount
        nanoseconds = duration?.nanoseconds
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.size = size
        self.layer = layer
        self.layerCount = layerCount
    }

    enum CodingKeys: String, CodingKey {
        case id, status, path, layer, location, thumbnails, track, transcript
        case stream = "stream_id"
        case room = "room_id"
        case session = "session_id"
        case kind = "type"
        case byteCount = "bytes"
        case size = "resolution"
        case layerCount = "num_layers"
        case nanoseconds = "duration_ns"
        case createdAt = "created_ns"
        case expiresAt = "expires_ns"
    }
}
