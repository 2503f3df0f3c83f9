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

/// Why a stream failed.
public struct StreamingFailure: Hashable, Sendable {
    public var code: Int
    public var message: String

    public init(code: Int, message: String) {
        self.code = code
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

/// The state of RTMP for all peers, which this server does not support: it was not requested, or it
/// failed.
public enum RTMPState: Hashable, Sendable {
    case none
    case failed(StreamingFailure, startedBy: PeerID)

    public var startedBy: PeerID? {
        switch self {
        case .none: nil
        case .failed(_, let peer): peer
        }
    }
}
