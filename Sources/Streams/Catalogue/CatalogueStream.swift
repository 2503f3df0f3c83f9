public import MediaKernel
public import Streams

/// What is kept of a live stream or of a recording without one. The same JSON is `stream.json`.
public struct CatalogueStream: Hashable, Sendable, Codable {
    public var id: StreamID
    public var room: RoomID
    public var session: SessionID?
    public var kind: LiveStream.Kind
    public var status: LiveStream.Status
    /// Why it ended; nil while it goes on.
    public var end: StreamEnd?
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
        id: StreamID, room: RoomID, session: SessionID? = nil, kind: LiveStream.Kind = .stream,
        status: LiveStream.Status = .starting, createdAt: UnixTime, directory: String,
        assetDirectory: String? = nil,
        details: String = "{}"
    ) {
        self.id = id
        self.room = room
        self.session = session
        self.kind = kind
        self.status = status
        self.createdAt = createdAt
        updatedAt = createdAt
        self.directory = directory
        self.assetDirectory = assetDirectory
        self.details = details
    }

    enum CodingKeys: String, CodingKey {
        case id, kind, status, end, directory, details
        case room = "room_id"
        case session = "session_id"
        case createdAt = "created_ns"
        case updatedAt = "updated_ns"
        case stoppedAt = "stopped_ns"
        case assetDirectory = "asset_directory"
    }

    private enum LegacyKeys: String, CodingKey { case reason }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(StreamID.self, forKey: .id)
        room = try container.decode(RoomID.self, forKey: .room)
        session = try container.decodeIfPresent(SessionID.self, forKey: .session)
        // Files that were written before there were two kinds say nothing of it.
        kind = try container.decodeIfPresent(LiveStream.Kind.self, forKey: .kind) ?? .stream
        status = try container.decode(LiveStream.Status.self, forKey: .status)
        end = try container.decodeIfPresent(StreamEnd.self, forKey: .end)
        if end == nil {
            let fields = try decoder.container(keyedBy: LegacyKeys.self)
            end = try fields.decodeIfPresent(String.self, forKey: .reason)
                .map(StreamEnd.init(legacyReason:))
        }
        createdAt = try container.decode(UnixTime.self, forKey: .createdAt)
        updatedAt = try container.decode(UnixTime.self, forKey: .updatedAt)
        stoppedAt = try container.decodeIfPresent(UnixTime.self, forKey: .stoppedAt)
        directory = try container.decode(String.self, forKey: .directory)
        assetDirectory = try container.decodeIfPresent(String.self, forKey: .assetDirectory)
        details = try container.decode(String.self, forKey: .details)
    }
}

extension CatalogueStream {
    /// Brings a stream to its end of which nobody will say how it ended: as it was about to, or else
    /// as failed. One that is final stays as it is.
    public mutating func endIfLeftBehind() {
        switch status {
        case .stopping, .postProcessing:
            let end = end ?? .stopped
            (self.end, status) = (end, end.status)
        case .starting, .running:
            (end, status) = (.failed(.serverRestarted), .failed)
        case .completed, .failed: break
        }
    }
}
