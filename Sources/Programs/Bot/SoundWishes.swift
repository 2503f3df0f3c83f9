import MediaKernel
import Pipeline

/// Whose sound the recorder needs: that of the roles that are heard, of all others nothing.
///
/// Every change gives what is to be asked for that was not asked for before. Sound comes unless it
/// is refused, so that nobody waits to be heard.
struct SoundWishes {
    struct Wish: Hashable {
        var track: TrackID
        var isSubscribed: Bool
    }

    /// Nil for everybody.
    private var roles: Set<String>?
    /// Sound tracks in the room, with their peer's role.
    private var tracks: [TrackID: String] = [:]
    private var refused: Set<TrackID> = []

    init(roles: Set<String>?) { self.roles = roles }

    /// These peers are in the room, and no others.
    mutating func roomChanged(_ peers: [SourcePeer]) -> [Wish] {
        tracks = [:]
        for peer in peers {
            for track in peer.tracks where !track.isVideo { tracks[track.id] = peer.role }
        }
        // The server forgets what was asked of a track that ended; so must we.
        refused = refused.filter { tracks[$0] != nil }
        return changes()
    }

    mutating func rolesChanged(_ roles: Set<String>?) -> [Wish] {
        self.roles = roles
        return changes()
    }

    private mutating func changes() -> [Wish] {
        let unwanted = tracks.filter { roles?.contains($0.value) == false }.keys
        let changed = refused.symmetricDifference(unwanted).sorted()
        refused = Set(unwanted)
        return changed.map { Wish(track: $0, isSubscribed: !refused.contains($0)) }
    }
}
