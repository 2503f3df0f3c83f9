/// What a recording of a kind of rooms has in common. A destination's own values come first.
public enum RecordingPreset: String, Hashable, Sendable, CaseIterable {
    /// A group call: recorded once more than two are in it, and until nobody is.
    case groupCall = "group_call"

    /// The number of peers from which on the room is recorded.
    public var peersToStart: Int {
        switch self {
        case .groupCall: 3
        }
    }

    /// How long the room may be empty, in seconds: the shortest time that there is.
    public var autoStopTimeout: Int {
        switch self {
        case .groupCall: 1
        }
    }

    /// Of the picture, in luma samples.
    public var size: (width: Int, height: Int) {
        switch self {
        case .groupCall: (1280, 720)
        }
    }

    /// How long the files are kept, in seconds.
    public var keptSeconds: Int {
        switch self {
        case .groupCall: 14 * 86_400
        }
    }
}
