public import MediaKernel

/// The state of a recording.
public enum RecordingState: String, Hashable, Sendable, Codable {
    case none, initialised, started, paused, resumed, stopped, failed

    /// Whether it is recording, or will be once it is resumed.
    public var isOn: Bool {
        switch self {
        case .initialised, .started, .paused, .resumed: true
        case .none, .stopped, .failed: false
        }
    }
}

/// The recording of the room's streams, as peers see it.
public struct HLSRecording: Hashable, Sendable {
    public var state: RecordingState
    public var hlsVOD: Bool
    public var singleFilePerLayer: Bool
    public var initialisedAt: UnixTime?
    public var startedAt: UnixTime?
    /// Nil if it was not started from the room.
    public var startedBy: PeerID?

    public init(
        state: RecordingState, hlsVOD: Bool, singleFilePerLayer: Bool,
        initialisedAt: UnixTime? = nil, startedAt: UnixTime? = nil, startedBy: PeerID? = nil
    ) {
        self.state = state
        self.hlsVOD = hlsVOD
        self.singleFilePerLayer = singleFilePerLayer
        self.initialisedAt = initialisedAt
        self.startedAt = startedAt
        self.startedBy = startedBy
    }
}

/// The room's recording without a live stream, as peers see it.
public struct RoomRecording: Hashable, Sendable {
    public var state: RecordingState
    public var initialisedAt: UnixTime?
    public var startedAt: UnixTime?
    /// Nil if it was not started from the room.
    public var startedBy: PeerID?
    public var error: StreamingFailure?
    /// Nil if no application knows it by an id of its own.
    public var label: Label?

    public struct Label: Hashable, Sendable {
        public var id: String
        public var name: String

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    public init(
        state: RecordingState, initialisedAt: UnixTime? = nil, startedAt: UnixTime? = nil,
        startedBy: PeerID? = nil, error: StreamingFailure? = nil, label: Label? = nil
    ) {
        self.state = state
        self.initialisedAt = initialisedAt
        self.startedAt = startedAt
        self.startedBy = startedBy
        self.error = error
        self.label = label
    }
}
