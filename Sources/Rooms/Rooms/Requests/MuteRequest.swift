/// A peer's request to mute or unmute others' tracks. A room changes no track by itself: a client
/// mutes at once or asks its user, and then reports it like any other mute.
public struct MuteRequest: Hashable, Sendable {
    /// The requested state.
    public var isMuted: Bool
    /// `nil` for audio and video.
    public var kind: TrackKind?
    /// `nil` for every source.
    public var source: String?
    /// The roles of the addressees; empty for all roles.
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

    /// Whether it concerns a track of this peer.
    func concerns(_ peer: Peer) -> Bool {
        guard roles.isEmpty || roles.contains(peer.role) else { return false }
        return peer.tracks.contains(where: includes)
    }

    /// Whether it includes a track of an addressee.
    public func includes(_ track: Track) -> Bool {
        (kind ?? track.kind) == track.kind && (source ?? track.source) == track.source
    }
}
