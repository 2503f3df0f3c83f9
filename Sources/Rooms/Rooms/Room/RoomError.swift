public import MediaKernel

/// Why a room refused. Each protocol has its own codes for the ``kind`` of a refusal.
public enum RoomError: Error, Hashable, Sendable {
    case invalidPolicy(String)
    case unknownRole(String)
    /// The request is only for joined peers.
    case notJoined(PeerID)
    case alreadyJoined(PeerID)
    case unknownPeer(PeerID)
    /// The peer was in this session and has lost its place.
    case peerGone(PeerID)
    case unknownTrack(TrackID)
    case roomFull(maximum: Int)
    /// Sockets, including those of previews.
    case tooManyConnections(maximum: Int)
    /// The token is for another room.
    case otherRoom
    case roomLocked
    case roleFull(role: String, maximum: Int)
    /// The role had places for only some of the peers that were to get it. This many keep their
    /// own.
    case roleFullForSome(role: String, maximum: Int, left: Int)
    /// The new role of a bulk change is also one of the old roles.
    case roleClash
    /// A peer accepted a role that is not, or no longer, offered.
    case unknownRoleOffer
    /// A peer with this id joined with another token.
    case peerIDTaken(PeerID)
    case missingPermission(Permission, role: String)
    case mayNotPublish(kind: String, role: String)
    /// The room is not for pictures, whatever the role.
    case soundOnly(kind: String)
    case tooManyTracks(count: Int, maximum: Int)
    case tooLong(field: String, count: Int, maximum: Int)
    case invalidField(field: String, reason: String)
    case tooManyRequests(perSecond: Int)
    case versionConflict(key: String, version: Int)
    case storeFull(maximum: Int)
    /// One peer's groups.
    case tooManyGroups(maximum: Int)
    /// The groups of all peers.
    case sessionGroupsFull(maximum: Int)
    /// The poll does not exist, or the peer may not know about it.
    case unknownPoll(PollID)
    /// The poll's state does not allow this.
    case pollState(PollID, PollInfo.State)
    case pollLocked(PollID)
    case pollEmpty(PollID)
    case pollAnonymous(PollID)
    case mayNotAnswer(PollID, role: String)
    case mayNotSeeAnswers(PollID, role: String)
    /// A question allows one answer, and has it.
    case pollAnswered(question: Int)
    /// All of a session's polls are running.
    case tooManyPolls(maximum: Int)
    /// In bytes.
    case pollsFull(maximum: Int)

    /// What a client can conclude from a refusal.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The request cannot be fulfilled as it is, now or later.
        case invalid
        /// The peer may not do this, or the room may not hold more.
        case forbidden
        /// What the request names does not exist.
        case unknown
        /// What the request names has changed, or its state does not allow it.
        case conflict
        /// What the request names was here and has gone.
        case gone
        /// The same request may be repeated later.
        case tooFrequent
        /// It is not the client's fault.
        case broken
    }

    public var kind: Kind {
        switch self {
        case .invalidPolicy: .broken
        case .unknownRole, .notJoined, .alreadyJoined, .otherRoom, .tooManyTracks, .tooLong,
            .invalidField, .storeFull, .tooManyGroups, .sessionGroupsFull,
            .pollEmpty, .tooManyPolls, .pollsFull, .roleClash:
            .invalid
        case .unknownPeer, .unknownTrack, .unknownPoll: .unknown
        case .peerGone: .gone
        case .tooManyConnections, .roomFull, .roleFull, .roleFullForSome, .unknownRoleOffer,
            .roomLocked, .peerIDTaken,
            .missingPermission, .mayNotPublish, .soundOnly, .pollLocked, .pollAnonymous,
            .mayNotAnswer,
            .mayNotSeeAnswers:
            .forbidden
        case .versionConflict, .pollState, .pollAnswered: .conflict
        case .tooManyRequests: .tooFrequent
        }
    }

    public var message: String {
        switch self {
        case .invalidPolicy(let reason): "invalid policy: \(reason)"
        case .unknownRole(let role): "role '\(role)' does not exist in this room's policy"
        case .notJoined(let peer): "peer \(peer) has not joined the room"
        case .alreadyJoined(let peer): "peer \(peer) has already joined the room"
        case .unknownPeer(let peer): "peer \(peer) is not in the room"
        case .peerGone(let peer): "peer \(peer) has left the room"
        case .unknownTrack(let track): "track \(track) is not published by this peer"
        case .roomFull(let maximum): "the room is full: it holds \(maximum) peers"
        case .tooManyConnections(let maximum):
            "the room takes \(maximum) connections, which are all there"
        case .otherRoom: "the token is for another room"
        case .roomLocked: "the room is locked: nobody may join it"
        case .roleFull(let role, let maximum):
            "role '\(role)' is full: the room takes \(maximum) peers of it"
        case .roleFullForSome(let role, let maximum, let left):
            "role '\(role)' is full: the room takes \(maximum) peers of it, and \(left) keep theirs"
        // Clients show these words.
        case .roleClash: "target role clash with requested roles"
        case .unknownRoleOffer: "this role has not been offered, or the offer is over"
        case .peerIDTaken(let peer): "peer \(peer) joined with another token"
        case .missingPermission(let permission, let role):
            "role '\(role)' has no permission '\(permission.rawValue)'"
        case .mayNotPublish(let kind, let role): "role '\(role)' may not publish \(kind)"
        case .soundOnly(let kind): "this room is for sound only: nobody may publish \(kind)"
        case .tooManyTracks(let count, let maximum):
            "\(count) tracks; a peer may publish at most \(maximum)"
        case .tooLong(let field, let count, let maximum):
            "\(field) is too long: \(count) of at most \(maximum)"
        case .invalidField(let field, let reason): "\(field) \(reason)"
        case .tooManyRequests(let rate): "too many requests: at most \(rate) a second"
        case .versionConflict(let key, let version):
            "key '\(key)' has version \(version) by now"
        case .storeFull(let maximum): "the session's store is full: it holds \(maximum) keys"
        case .tooManyGroups(let maximum): "a peer may be in at most \(maximum) groups"
        case .sessionGroupsFull(let maximum): "the session has \(maximum) groups, which is the most"
        case .unknownPoll(let poll): "poll \(poll) is not in this session"
        case .pollState(let poll, .created): "poll \(poll) has not been started"
        case .pollState(let poll, .started): "poll \(poll) is running"
        case .pollState(let poll, .stopped): "poll \(poll) is over"
        case .pollLocked(let poll): "poll \(poll) is locked: only who made it may change it"
        case .pollEmpty(let poll): "poll \(poll) has no questions"
        case .pollAnonymous(let poll): "poll \(poll) is anonymous"
        case .mayNotAnswer(let poll, let role): "role '\(role)' may not answer poll \(poll)"
        case .mayNotSeeAnswers(let poll, let role):
            "role '\(role)' may not see what was answered to poll \(poll)"
        case .pollAnswered(let question): "question \(question) has been answered for good"
        case .tooManyPolls(let maximum):
            "the session has \(maximum) polls, which is the most, and none is over"
        case .pollsFull(let maximum): "the session's polls are full: they hold \(maximum) bytes"
        }
    }
}
