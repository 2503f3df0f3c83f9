public import MediaKernel

/// One file that was made of a stream. The same JSON is in the recording's `manifest.json`.
public struct CatalogueAsset: Hashable, Sendable, Codable {
    /// 100ms' names.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case roomComposite = "room-composite"
        case roomVOD = "room-vod"
        case chat
    }

    public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        case completed, failed
        /// Its time is over and its file is gone.
        case expired
    }

    /// Of `[A-Za-z0-9_-]`.
    public var id: String
    public var stream: StreamID
    public var room: RoomID
    public var session: SessionID?
    public var kind: Kind
    public var status: Status
    /// Relative to the root of recordings.
    public var path: String
    public var byteCount: Int64
    /// Nil where nothing plays.
    public var duration: Duration? {
        get { nanoseconds.map { .nanoseconds($0) } }
        set { nanoseconds = newValue?.nanoseconds }
    }
    private var nanoseconds: Int64?
    public var createdAt: UnixTime
    /// Nil for never.
    public var expiresAt: UnixTime?
    /// Of the picture, the best layer's where there are several; nil for sound and text.
    public var size: Size?
    /// Which layer this is, 0 for the best; nil for what is of all.
    public var layer: Int?
    /// How many layers are in it; nil for what has none.
    public var layerCount: Int?
    /// Where it lies in a store, `s3://bucket/key`; nil while it lies here only.
    public var location: String?

    /// Pictures of the recording, which all its assets with a picture share.
    public var thumbnails: RecordingThumbnails?

    /// Where another file of its recording lies in the store that it is in; nil while it is in none.
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
        case id, status, path, layer, location, thumbnails
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
