import MediaKernel
import Stage

/// The peers that take part in the picture, and their videos.
///
/// Each publishing peer is a person, whose tile shows the camera. A presented video is a
/// participant of its own, but only while it has a picture: a shared screen without one would be
/// initials as large as the canvas. Peers that do not publish take no part.
struct Roster {
    private(set) var peers: [SourcePeer] = []
    private var peersByID: [PeerID: SourcePeer] = [:]
    /// Every video's place in the order of appearance.
    private var appearances: [TrackID: Int] = [:]
    private var appeared = 0
    /// The video that shows each person.
    private var cameras: [PeerID: TrackID] = [:]
    /// Presented videos, and those of them that have a picture.
    private var presentations: [TrackID] = []
    private var seen: Set<TrackID> = []
    /// Each presentation's place in the order of their first pictures.
    private var starts: [TrackID: Int] = [:]
    private var started = 0

    subscript(peer: PeerID) -> SourcePeer? { peersByID[peer] }

    var videos: Set<TrackID> { Set(appearances.keys) }

    mutating func show(_ next: [SourcePeer]) {
        peers = next
        peersByID = Dictionary(next.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let videos = next.flatMap(\.tracks).filter(\.isVideo)
        for video in videos where appearances[video.id] == nil {
            appearances[video.id] = appeared
            appeared += 1
        }
        let present = Set(videos.map(\.id))
        appearances = appearances.filter { present.contains($0.key) }
        presentations = inOrder(videos.filter { $0.source == .presentation }).map(\.id)
        seen.formIntersection(presentations)
        starts = starts.filter { present.contains($0.key) }
        let chosen = next.map { ($0.id, camera(of: $0)) }
        cameras = Dictionary(chosen, uniquingKeysWith: { first, _ in first })
            .compactMapValues { $0 }
    }

    private func inOrder(_ videos: [SourceTrack]) -> [SourceTrack] {
        videos.sorted { appearances[$0.id, default: 0] < appearances[$1.id, default: 0] }
    }

    /// The present camera while that is on; else the first one in the order of appearance that is
    /// on.
    private func camera(of peer: SourcePeer) -> TrackID? {
        let videos = inOrder(peer.tracks.filter(\.isVideo))
        let own = videos.filter { $0.source == .regular }
        let candidates = own.isEmpty ? videos.filter { $0.source == .other } : own
        let live = candidates.filter { !$0.isMuted }
        let choice = live.isEmpty ? candidates : live
        return (choice.first { $0.id == cameras[peer.id] } ?? choice.first)?.id
    }

    /// Whether the video is a presentation.
    func presents(_ video: TrackID) -> Bool { presentations.contains(video) }

    /// Updates which presentations have a picture.
    ///
    /// - Returns: whether one has gained or lost its picture.
    mutating func lookForPictures(_ hasPicture: (TrackID) -> Bool) -> Bool {
        var hasChanged = false
        for track in presentations where hasPicture(track) != seen.contains(track) {
            hasChanged = true
            guard seen.remove(track) == nil else { continue }
            seen.insert(track)
            guard starts[track] == nil else { continue }
            starts[track] = started
            started += 1
        }
        return hasChanged
    }

    /// The participants to be shown.
    var participants: [Participant] {
        let people = peers.filter { peer in peer.tracks.contains { $0.source != .presentation } }
        return people.map { participant($0, showing: cameras[$0.id]) }
            + screens { seen.contains($0) }
    }

    /// Presentations without a picture, as the participants that they become once they have one.
    var awaited: [Participant] { screens { !seen.contains($0) } }

    private func screens(_ isMeant: (TrackID) -> Bool) -> [Participant] {
        peers.flatMap { peer in
            peer.tracks
                .filter { presents($0.id) && isMeant($0.id) }
                .map { participant(peer, showing: $0.id, isScreen: true) }
        }
    }

    private func participant(
        _ peer: SourcePeer, showing track: TrackID?, isScreen: Bool = false
    ) -> Participant {
        var one = Participant(
            peer: peer.id, track: track, name: peer.name, joinedOrder: Int(peer.joinedAt),
            role: peer.role, isScreen: isScreen)
        if isScreen, let track {
            one.startedOrder = starts[track] ?? started + appearances[track, default: 0]
        }
        return one
    }
}
