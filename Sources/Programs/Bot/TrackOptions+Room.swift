import MediaKernel
import Pipeline
import Rooms

extension TrackOptions {
    /// The tracks of these peers that are recorded.
    func tracks(of peers: [SourcePeer]) -> Set<TrackID> {
        Set(peers.flatMap { peer in peer.tracks.filter { selects($0, of: peer) }.map(\.id) })
    }

    func selects(_ track: SourceTrack, of peer: SourcePeer) -> Bool {
        selects(
            id: track.id.rawValue, source: track.source.fileName, peer: peer.id.rawValue,
            name: peer.name, role: peer.role)
    }
}

extension TrackSource {
    /// In options and indexes.
    var fileName: String {
        switch self {
        case .regular: "regular"
        case .presentation: "screen"
        case .other: "other"
        }
    }
}
