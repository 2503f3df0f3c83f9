public import MediaKernel

public enum TrackKind: String, Hashable, Sendable, Codable {
    case audio, video
}

/// One audio or video that a peer publishes.
public struct Track: Hashable, Sendable {
    /// What it is called in the room. No other track is called so.
    public internal(set) var id: TrackID
    /// What its publisher calls it: the second token of the publisher's SDP `msid`. Clients that count
    /// their tracks (`webrtctransceiver0`), and those that give them no id at all, call them alike.
    public let publishedID: TrackID
    /// The first token of it.
    public var streamID: String
    public var kind: TrackKind
    /// `regular`, `screen`, `audioplaylist`, `videoplaylist`, `plugin` or a client's own word.
    public var source: String
    public var description: String
    public var isMuted: Bool

    /// - Parameter id: what its publisher calls it. The room calls it so too, unless another track is.
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

    /// What a role's `allowed` must hold for this track. A screen's sound belongs to the screen.
    public var publishKind: PublishParameters.Kind {
        if source == "screen" { return .screen }
        switch kind {
        case .audio: return .audio
        case .video: return .video
        }
    }

    /// Whether it is what somebody shows beside themselves: a screen, a video that is played to the
    /// room, or what an application draws, such as a whiteboard.
    public var isPresentation: Bool { Self.presentations.contains(source) }

    /// The sources of such tracks.
    public static let presentations: Set<String> = ["screen", "videoplaylist", "plugin"]

    func check() throws(RoomError) {
        try Check.identifier(publishedID.rawValue, field: "track_id")
        try Check.identifier(streamID, field: "stream_id")
        try Check.bytes(source, field: "source", maximum: RoomLimits.wordBytes)
        try Check.bytes(
            description, field: "description", maximum: RoomLimits.descriptionBytes)
    }
}

/// What a client says anew of a track it publishes. `nil` leaves it as it is.
public struct TrackChange: Hashable, Sendable {
    public var isMuted: Bool?
    public var description: String?

    public init(isMuted: Bool? = nil, description: String? = nil) {
        self.isMuted = isMuted
        self.description = description
    }
}
