public import MediaKernel

/// One requested stream of the room, as peers see it.
public struct HLSVariant: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, Codable {
        case none, initialised, started, stopped, failed

        /// Whether it is on air, or will be.
        public var isRunning: Bool {
            switch self {
            case .initialised, .started: true
            case .none, .stopped, .failed: false
            }
        }
    }

    public enum PlaylistType: String, Hashable, Sendable, Codable {
        case dvr
        case noDVR = "no-dvr"
    }

    /// Of the master playlist.
    public var url: String
    public var meetingURL: String
    public var metadata: String
    public var playlistType: PlaylistType
    public var state: State
    public var initialisedAt: UnixTime?
    public var startedAt: UnixTime?
    /// The tracks that it leaves out however much CPU there is.
    public var tracksLeftOut: [LeftOutTrack]

    /// A track that cannot be decoded.
    public struct LeftOutTrack: Hashable, Sendable {
        public var track: TrackID
        public var peer: PeerID
        /// The peer's name.
        public var name: String
        /// For people.
        public var reason: String

        public init(track: TrackID, peer: PeerID, name: String, reason: String) {
            self.track = track
            self.peer = peer
            self.name = name
            self.reason = reason
        }
    }

    public init(
        url: String, meetingURL: String = "", metadata: String = "",
        playlistType: PlaylistType = .noDVR, state: State, initialisedAt: UnixTime? = nil,
        startedAt: UnixTime? = nil, tracksLeftOut: [LeftOutTrack] = []
    ) {
        self.url = url
        self.meetingURL = meetingURL
        self.metadata = metadata
        self.playlistType = playlistType
        self.state = state
        self.initialisedAt = initialisedAt
        self.startedAt = startedAt
        self.tracksLeftOut = tracksLeftOut
    }
}

/// Why a stream failed, or was not started.
public struct StreamingFailure: Hashable, Sendable {
    /// What a client can conclude from it. Each protocol has its own codes for it.
    public enum Cause: Hashable, Sendable, CaseIterable {
        /// The request cannot be fulfilled as it is, now or later.
        case invalid
        case forbidden
        /// What the request names does not exist.
        case unknown
        /// The state of what the request names does not allow it.
        case conflict
        /// The same request may be repeated in a moment.
        case tooFrequent
        /// A limit of the server is reached, or it was restarted. Later it may work.
        case unavailable
        /// Nothing of what was to be streamed could be encoded.
        case notEncoded
        /// The page that was to be streamed could not be shown.
        case sourceBroken
        /// The stream stood still for too long.
        case stoodStill
        case storageFull
        /// It is not the client's fault.
        case broken
    }

    public var cause: Cause
    /// For people.
    public var message: String

    public init(_ cause: Cause, message: String) {
        self.cause = cause
        self.message = message
    }
}

/// The state of the room's streams for all peers.
public struct HLSState: Hashable, Sendable {
    public var variants: [HLSVariant]
    public var error: StreamingFailure?
    /// Nil if none of them was recorded.
    public var recording: HLSRecording?

    public init(
        variants: [HLSVariant] = [], error: StreamingFailure? = nil,
        recording: HLSRecording? = nil
    ) {
        self.variants = variants
        self.error = error
        self.recording = recording
    }

    public var isRunning: Bool { variants.contains { $0.state.isRunning } }
}

/// The state of the room's pushes to other servers, for all peers.
public enum RTMPState: Hashable, Sendable {
    case none
    /// A peer asked for pushes that could not begin.
    case failed(StreamingFailure, startedBy: PeerID)
    case pushed(RTMPPushes)

    public var startedBy: PeerID? {
        switch self {
        case .none: nil
        case .failed(_, let peer): peer
        case .pushed(let pushes): pushes.startedBy
        }
    }

    public var isRunning: Bool {
        if case .pushed(let pushes) = self { pushes.state.isRunning } else { false }
    }

    /// Whether peers are told of this state. The same failure again is no news, whoever made the
    /// request, and no failure hides pushes that go on.
    func isNews(after other: RTMPState) -> Bool {
        guard case .failed(let failure, _) = self else { return self != other }
        if case .failed(failure, _) = other { return false }
        return !other.isRunning
    }
}

/// The places that the room's streams and its recording are pushed to.
public struct RTMPPushes: Hashable, Sendable {
    /// One of them, without its key.
    public struct Push: Hashable, Sendable {
        public var url: String
        /// `connecting`, `live`, `retrying`, `failed` or `stopped`.
        public var state: String
        /// For people.
        public var reason: String?
        public var since: UnixTime?

        public init(url: String, state: String, reason: String? = nil, since: UnixTime? = nil) {
            self.url = url
            self.state = state
            self.reason = reason
            self.since = since
        }
    }

    /// `started` as soon as one is live.
    public var state: HLSVariant.State
    public var startedAt: UnixTime?
    /// Nil if no peer started it.
    public var startedBy: PeerID?
    public var pushes: [Push]

    public init(
        state: HLSVariant.State, startedAt: UnixTime? = nil, startedBy: PeerID? = nil,
        pushes: [Push] = []
    ) {
        self.state = state
        self.startedAt = startedAt
        self.startedBy = startedBy
        self.pushes = pushes
    }
}
