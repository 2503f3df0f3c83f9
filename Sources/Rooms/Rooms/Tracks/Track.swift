public import MediaKernel

public enum TrackKind: String, Hashable, Sendable, Codable {
    case audio, video
}

/// One audio or video that a peer publishes.
public struct Track: Hashable, Sendable {
    /// Its id in the room. It is unique there.
    public internal(set) var id: TrackID
    /// Its publisher's id for it: the second token of the publisher's SDP `msid`. Clients that
    /// number their tracks (`webrtctransceiver0`), or give them no id at all, use the same ids.
    public let publishedID: TrackID
    /// The first token of that `msid`.
    public var streamID: String
    public var kind: TrackKind
    /// `regular`, `screen`, `audioplaylist`, `videoplaylist`, `plugin` or a client's own source.
    public var source: String
    public var description: String
    public var isMuted: Bool

    /// - Parameter id: the published id. It is also the id in the room, unless another track has
    ///   it.
    public init(
        id: TrackID, streamID: String, kind: TrackKind, source: String = "regular",
        description: String = "", isMuted: Bool = false
    ) {
        self.id = id
        publishedID = id
        self.streamID = streamID
        self.kind = kind
        self.source = source
        self.description = description
        self.isMuted = isMuted
    }

    /// The kind that a role's `allowed` must contain for this track. A screen's sound belongs to
    /// the screen.
    public var publishKind: PublishParameters.Kind {
        if source == "screen" { return .screen }
        switch kind {
        case .audio: return .audio
        case .video: return .video
        }
    }

    /// The kind under which unmuting it is moderated. A client chooses its sources' names, so every
    /// sound is one.
    public var moderatedKind: PublishParameters.Kind { kind == .audio ? .audio : publishKind }

    /// Whether the peer presents it besides itself: a screen, a video that is played to the room,
    /// or an application's output, such as a whiteboard.
    public var isPresentation: Bool { Self.presentations.contains(source) }

    /// The sources of such tracks.
    public static let presentations: Set<String> = ["screen", "videoplaylist", "plugin"]

    /// Checks the limits of what its client has named. A room leaves a track out that exceeds them.
    public func check() throws(RoomError) {
        try Check.identifier(publishedID.rawValue, field: "track_id")
        try Check.identifier(streamID, field: "stream_id")
        try Check.bytes(source, field: "source", maximum: RoomLimits.wordBytes)
        try Check.bytes(
            description, field: "description", maximum: RoomLimits.descriptionBytes)
    }
}

/// A client's changes of a track that it publishes. `nil` leaves a value unchanged.
public struct TrackChange: Hashable, Sendable {
    public var isMuted: Bool?
    public var description: String?

    public init(isMuted: Bool? = nil, description: String? = nil) {
        self.isMuted = isMuted
        self.description = description
    }
}
