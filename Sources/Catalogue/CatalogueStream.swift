public import MediaKernel

/// What is kept of a live stream or of a recording without one. The same JSON is `stream.json`.
public struct CatalogueStream: Hashable, Sendable, Codable {
    /// Goes from `starting` to the right, never back.
    public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        case starting, running, stopping
        case postProcessing = "post_processing"
        case completed, failed

        public var isFinal: Bool { self == .completed || self == .failed }
    }

    public var id: StreamID
    public var room: RoomID
    public var session: SessionID?
    public var status: Status
    /// Why it ended; nil while it goes on.
    public var reason: String?
    public var createdAt: UnixTime
    public var updatedAt: UnixTime
    public var stoppedAt: UnixTime?
    /// Where its bots write, and where its assets come to lie; relative to the two roots.
    public var directory: String
    public var assetDirectory: String?
    /// What else the owner of the record knows, as JSON of its own; it is not looked into, so that
    /// lists are cheap.
    public var details: String

    public init(
        id: StreamID, room: RoomID, session: SessionID? = nil, status: Status = .starting,
        createdAt: UnixTime, directory: String, assetDirectory: String? = nil,
        details: String = "{}"
    ) {
        self.id = id
        self.room = room
        self.session = session
        self.status = status
        self.createdAt = createdAt
        updatedAt = createdAt
        self.directory = directory
        self.assetDirectory = assetDirectory
        self.details = details
    }

    enum CodingKeys: String, CodingKey {
        case id, status, reason, directory, details
        case room = "room_id"
        case session = "session_id"
        case createdAt = "created_ns"
        case updatedAt = "updated_ns"
        case stoppedAt = "stopped_ns"
        case assetDirectory = "asset_directory"
    }
}
