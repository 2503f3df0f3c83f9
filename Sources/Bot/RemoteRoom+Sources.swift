import MediaKernel
import Pipeline
import Rooms
import Signalling

extension RemoteRoom {
    /// Who is in the room and what they publish, as the pipeline wants to know it.
    var sources: [SourcePeer] {
        peers.map { peer in
            SourcePeer(
                id: peer.peerID, name: peer.info.name, role: peer.role, joinedAt: peer.joinedAt ?? 0,
                tracks: tracks(of: peer.peerID).map { track in
                    SourceTrack(
                        id: track.trackID, isVideo: track.type == .video,
                        isScreen: track.source == "screen", isMuted: track.mute)
                })
        }
    }
}
