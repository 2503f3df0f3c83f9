import MediaKernel
import Pipeline

/// Which audio tracks the recorder needs: those of the roles that are heard.
///
/// Every change returns only new requests. Audio is sent unless it is refused, so that speakers are
/// heard without delay.
struct SoundSubscriptions {
    struct Wish: Hashable {
        var track: TrackID
        var isSubscribed: Bool
    }

    /// Nil for all peers.
    private var roles: Set<String>?
    /// Audio tracks in the room, with their peer's role.
    private var tracks: [TrackID: String] = [:]
    private var refused: Set<TrackID> = []
    /// Tracks that are recorded by themselves, whoever is heard.
    private var recorded: Set<TrackID> = []

    init(roles: Set<String>?) { self.roles = roles }

    /// These are all peers in the room.
    ///
    /// - Parameter recorded: tracks that are recorded by themselves.
    mutating func roomChanged(
        _ peers: [SourcePeer], recorded: Set<TrackID> = []
    ) -> [Wish] {
        self.recorded = recorded
        tracks = [:]
        for peer in peers {
            for track in peer.tracks where !track.isVideo { tracks[track.id] = peer.role }
        }
        // The server forgets requests for a track that has ended, so this value must too.
        refused = refused.filter { tracks[$0] != nil }
        return changes()
    }

    mutating func rolesChanged(_ roles: Set<String>?) -> [Wish] {
        self.roles = roles
        return changes()
    }

    private mutating func changes() -> [Wish] {
        let unwanted = tracks.filter {
            roles?.contains($0.value) == false && !recorded.contains($0.key)
        }.keys
        let changed = refused.symmetricDifference(unwanted).sorted()
        refused = Set(unwanted)
        return changed.map { Wish(track: $0, isSubscribed: !refused.contains($0)) }
    }
}
