import Foundation
public import MediaKernel

/// One file that was made of a stream. The same JSON is in the recording's `manifest.json`.
public struct CatalogueAsset: Hashable, Sendable, Codable {
    /// 100ms' names.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case roomComposite = "room-composite"
        case roomVOD = "room-vod"
        case chat
        case thumbnail
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
    public var duration: Duration?
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
        self.duration = duration
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.size = size
        self.layer = layer
        self.layerCount = layerCount
    }

    enum CodingKeys: String, CodingKey {
        case id, status, path, layer, location
        case stream = "stream_id"
        case room = "room_id"
        case session = "session_id"
        case kind = "type"
        case byteCount = "bytes"
        case size = "resolution"
        case layerCount = "num_layers"
        case duration = "duration_ns"
        case createdAt = "created_ns"
        case expiresAt = "expires_ns"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        stream = try container.decode(StreamID.self, forKey: .stream)
        room = try container.decode(RoomID.self, forKey: .room)
        session = try container.decodeIfPresent(SessionID.self, forKey: .session)
        kind = try container.decode(Kind.self, forKey: .kind)
        status = try container.decode(Status.self, forKey: .status)
        path = try container.decode(String.self, forKey: .path)
        byteCount = try container.decode(Int64.self, forKey: .byteCount)
        duration = try container.decodeIfPresent(Int64.self, forKey: .duration)
            .map { .nanoseconds($0) }
        createdAt = try container.decode(UnixTime.self, forKey: .createdAt)
        expiresAt = try container.decodeIfPresent(UnixTime.self, forKey: .expiresAt)
        size = try container.decodeIfPresent(Size.self, forKey: .size)
        layer = try container.decodeIfPresent(Int.self, forKey: .layer)
        layerCount = try container.decodeIfPresent(Int.self, forKey: .layerCount)
        location = try container.decodeIfPresent(String.self, forKey: .location)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(stream, forKey: .stream)
        try container.encode(room, forKey: .room)
        try container.encodeIfPresent(session, forKey: .session)
        try container.encode(kind, forKey: .kind)
        try container.encode(status, forKey: .status)
        try container.encode(path, forKey: .path)
        try container.encode(byteCount, forKey: .byteCount)
        try container.encodeIfPresent(duration?.nanoseconds, forKey: .duration)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encodeIfPresent(expiresAt, forKey: .expiresAt)
        try container.encodeIfPresent(size, forKey: .size)
        try container.encodeIfPresent(layer, forKey: .layer)
        try container.encodeIfPresent(layerCount, forKey: .layerCount)
        try container.encodeIfPresent(location, forKey: .location)
    }
}

/// What a finisher writes last into a recording's directory: the recording is complete.
public struct RecordingManifest: Hashable, Sendable, Codable {
    public static let fileName = "manifest.json"

    public var stream: CatalogueStream
    public var assets: [CatalogueAsset]

    public init(stream: CatalogueStream, assets: [CatalogueAsset]) {
        self.stream = stream
        self.assets = assets
    }

    /// The text of the file.
    public var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("a manifest holds texts and numbers, which always encode")
        }
        return Array(data) + [10]
    }

    /// Reads the manifest of a recording.
    ///
    /// - Parameter directory: of the recording.
    /// - Returns: nil when there is none that can be read.
    public static func read(_ directory: String) -> RecordingManifest? {
        FileManager.default.contents(atPath: "\(directory)/\(fileName)").flatMap {
            try? JSONDecoder().decode(RecordingManifest.self, from: $0)
        }
    }
}
