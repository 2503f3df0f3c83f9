public import MediaKernel

public enum PollTag {}
/// Names one poll of a session.
public typealias PollID = Identifier<PollTag>

/// The settings of a poll or a quiz.
public struct PollSettings: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, Codable { case poll, quiz }

    /// What identifies a voter.
    public enum Tracking: String, Hashable, Sendable, Codable {
        case userID = "userid"
        case peerID = "peerid"
        case name = "username"
    }

    public var title: String
    public var kind: Kind
    /// In seconds from the start; 0 to run until it is stopped, or the session ends.
    public var duration: Int
    /// Answers are shown without names, and there is no leaderboard.
    public var isAnonymous: Bool
    /// Passed on to clients.
    public var isVisible: Bool
    /// Until it starts, only its creator may change it. After that it cannot be changed.
    public var isLocked: Bool
    public var tracking: Tracking
    /// The roles that may answer; empty for every role that may read polls.
    public var voters: [String]
    /// The roles that may see the answers; empty for every role that may read polls.
    public var viewers: [String]

    public init(
        title: String, kind: Kind = .poll, duration: Int = 0, isAnonymous: Bool = false,
        isVisible: Bool = false, isLocked: Bool = false, tracking: Tracking = .userID,
        voters: [String] = [], viewers: [String] = []
    ) {
        self.title = title
        self.kind = kind
        self.duration = duration
        self.isAnonymous = isAnonymous
        self.isVisible = isVisible
        self.isLocked = isLocked
        self.tracking = tracking
        self.voters = voters
        self.viewers = viewers
    }
}

/// A poll as peers see it, without its questions and answers.
public struct PollInfo: Hashable, Sendable {
    /// ```
    /// created ─ pollStarted ─► started ─ pollStopped, its time is over ─► stopped
    /// ```
    public enum State: String, Hashable, Sendable, Codable { case created, started, stopped }

    public let id: PollID
    public internal(set) var settings: PollSettings
    public internal(set) var state = State.created
    public internal(set) var questionCount = 0
    public let createdBy: PeerID
    public let createdAt: UnixTime
    public internal(set) var startedBy: PeerID?
    public internal(set) var startedAt: UnixTime?
    /// Nil also when its time was over.
    public internal(set) var stoppedBy: PeerID?
    public internal(set) var stoppedAt: UnixTime?

    /// Whether only its creator may change it, or nobody.
    public var isLocked: Bool { settings.isLocked || state != .created }

    init(_ id: PollID, _ settings: PollSettings, by peer: PeerID, wall: UnixTime) {
        self.id = id
        self.settings = settings
        createdBy = peer
        createdAt = wall
    }
}
