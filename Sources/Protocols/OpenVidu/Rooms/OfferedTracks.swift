internal import MediaKernel
internal import Rooms
internal import SDP

/// The tracks of a client's offer.
enum OfferedTracks {
    /// The tracks of an offer, with names that are unique in the room, in the offer too.
    static func name(
        in offer: inout SessionDescription, of stream: String, source: String,
        isMuted: (TrackKind) -> Bool
    ) -> [Track] {
        var tracks: [Track] = []
        for index in offer.media.indices {
            let section = offer.media[index]
            guard section.direction.sends, !section.isRejected else { continue }
            let kind: TrackKind
            switch section.kind {
            case .audio: kind = .audio
            case .video: kind = .video
            case .application, .other: continue
            }
            let track = Track(
                id: TrackID("\(stream)-\(index)"), streamID: stream, kind: kind, source: source,
                isMuted: isMuted(kind))
            offer.media[index].rtp.msids = [
                MediaStreamIdentifier(stream: stream, track: track.publishedID.rawValue)
            ]
            tracks.append(track)
        }
        return tracks
    }
}
