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

    /// 100ms' names, with which its paths and its webhooks begin.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Shown live, and perhaps recorded.
        case stream = "hls"
        /// Recorded, and shown to nobody meanwhile.
        case recording = "beam"
    }

    public var id: StreamID
    public var room: RoomID
    public var session: SessionID?
    public var kind: Kind
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
        id: StreamID, room: RoomID, session: SessionID? = nil, kind: Kind = .stream,
        status: Status = .starting, createdAt: UnixTime, directory: String,
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
        case id, kind, status, reason, directory, details
        case room = "room_id"
        case session = "session_id"
        case createdAt = "created_ns"
        case updatedAt = "updated_ns"
        case stoppedAt = "stopped_ns"
        case assetDirectory = "asset_directory"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(StreamID.self, forKey: .id)
        room = try container.decode(RoomID.self, forKey: .room)
        session = try container.decodeIfPresent(SessionID.self, forKey: .session)
        // Files that were written before there were two kinds say nothing of it.
        kind = try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .stream
        status = try container.decode(Status.self, forKey: .status)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
        createdAt = try container.decode(UnixTime.self, forKey: .createdAt)
        updatedAt = try container.decode(UnixTime.self, forKey: .updatedAt)
        stoppedAt = try container.decodeIfPresent(UnixTime.self, forKey: .stoppedAt)
        directory = try container.decode(String.self, forKey: .directory)
        assetDirectory = try container.decodeIfPresent(String.self, forKey: .assetDirectory)
        details = try container.decode(String.self, forKey: .details)
    }
}

extension CatalogueStream {
    /// Before the words of a reason, wherever that may also be of no failure.
    public static let failureMark = "failure: "
    /// The reason of one that ran when its server ended.
    public static let restarted = failureMark + "the server was restarted"

    /// Brings a stream to its end of which nobody will say how it ended: as it was about to, or else
    /// as failed. One that is final stays as it is.
    public mutating func endIfLeftBehind() {
        switch status {
        case .stopping, .postProcessing:
            status = reason?.hasPrefix(Self.failureMark) == true ? .failed : .completed
        case .starting, .running:
            status = .failed
            reason = Self.restarted
        case .completed, .failed: break
        }
    }
}
