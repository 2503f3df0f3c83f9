/// What a peer asks others to do with their tracks. A room changes no track by itself: a client
/// that is asked mutes at once or asks its user, and then says so as for any other mute.
public struct MuteRequest: Hashable, Sendable {
    /// What the tracks are to be.
    public var isMuted: Bool
    /// `nil` is audio and video.
    public var kind: TrackKind?
    /// `nil` is every source.
    public var source: String?
    /// Those who are asked; none named is everybody.
    public var roles: [String]

    public init(
        isMuted: Bool, kind: TrackKind? = nil, source: String? = nil, roles: [String] = []
    ) {
        self.isMuted = isMuted
        self.kind = kind
        self.source = source
        self.roles = roles
    }

    var permission: Permission { isMuted ? .mute : .unmute }

    /// Whether it is about something that this peer publishes.
    func concerns(_ peer: Peer) -> Bool {
        guard roles.isEmpty || roles.contains(peer.role) else { return false }
        return peer.tracks.contains(where: includes)
    }

    /// Whether a track of those who are asked is meant.
    public func includes(_ track: Track) -> Bool {
        (kind ?? track.kind) == track.kind && (source ?? track.source) == track.source
    }
}
