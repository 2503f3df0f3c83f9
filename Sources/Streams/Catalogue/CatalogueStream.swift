public import MediaKernel
public import Streams

/// The record of a live stream, or of a recording without one. `stream.json` has the same JSON.
public struct CatalogueStream: Hashable, Sendable, Codable {
    public var id: StreamID
    public var room: RoomID
    public var session: SessionID?
    public var kind: LiveStream.Kind
    public var status: LiveStream.Status
    /// Why the stream ended; nil while it goes on.
    public var end: StreamEnd?
    public var createdAt: UnixTime
    public var updatedAt: UnixTime
    public var stoppedAt: UnixTime?
    /// The directories of the bots' output and of the assets, relative to their two roots.
    public var directory: String
    public var assetDirectory: String?
    /// Of a recording that an application knows by an id of its own; the id.
    public var label: String?
    /// Further data of the record's owner, as JSON. The catalogue does not parse it, which keeps
    /// lists cheap.
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
        case id, kind, status, end, directory, details, label
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
        // Files that predate recordings without a live stream lack the kind.
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
        label = try container.decodeIfPresent(String.self, forKey: .label)
    }
}

extension CatalogueStream {
    /// Ends a stream that has no other way to end: as it was about to, or else as failed. A final
    /// stream does not change.
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
