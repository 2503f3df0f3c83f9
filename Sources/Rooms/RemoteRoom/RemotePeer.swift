public import MediaKernel

/// A peer of a room, as its server describes it.
public struct RemotePeer: Hashable, Sendable {
    public var id: PeerID
    public var name: String
    /// The peer's role in the room's policy; empty in a room without roles.
    public var role: String
    /// The metadata of the peer's application, in its own format.
    public var metadata: String
    /// Who it is for those who run the room, a JSON object in their own format; nil where they do
    /// not tell.
    public var identity: JSONValue?
    /// In milliseconds since 1970; 0 where the server does not tell.
    public var joinedAt: Int64
    public var tracks: [RemoteTrack]

    public init(
        id: PeerID, name: String, role: String = "", metadata: String = "",
        identity: JSONValue? = nil, joinedAt: Int64 = 0, tracks: [RemoteTrack] = []
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.metadata = metadata
        self.identity = identity
        self.joinedAt = joinedAt
        self.tracks = tracks
    }
}

/// A track that a peer publishes.
public struct RemoteTrack: Hashable, Sendable {
    public var id: TrackID
    public var isVideo: Bool
    public var source: TrackSource
    public var isMuted: Bool

    public init(
        id: TrackID, isVideo: Bool, source: TrackSource = .regular, isMuted: Bool = false
    ) {
        self.id = id
        self.isVideo = isVideo
        self.source = source
        self.isMuted = isMuted
    }
}

/// A peer that speaks.
public struct RemoteSpeaker: Hashable, Sendable {
    public var peer: PeerID
    public var track: TrackID
    /// 0 to 100.
    public var level: Int

    public init(peer: PeerID, track: TrackID, level: Int) {
        self.peer = peer
        self.track = track
        self.level = level
    }
}

/// A message that a peer or the server sends to the room.
public struct RoomMessage: Hashable, Sendable {
    /// Nil for the server.
    public var sender: PeerID?
    /// Of one who is not among the room's peers; nil if the message does not tell.
    public var senderName: String?
    public var type: String
    /// JSON: a string, or the sender application's own format.
    public var content: OpaqueJSON
    /// Whether we are the only recipient.
    public var isPrivate: Bool

    public init(
        sender: PeerID?, senderName: String? = nil, type: String, content: OpaqueJSON,
        isPrivate: Bool
    ) {
        self.sender = sender
        self.senderName = senderName
        self.type = type
        self.content = content
        self.isPrivate = isPrivate
    }
}

/// A request to mute or unmute our tracks.
public struct TrackMuteRequest: Hashable, Sendable {
    public enum Target: Hashable, Sendable {
        case track(TrackID)
        /// Our camera or our microphone.
        case kind(isVideo: Bool)
    }

    public var isMuted: Bool
    public var target: Target

    public init(isMuted: Bool, target: Target) {
        self.isMuted = isMuted
        self.target = target
    }
}
