public import MediaKernel
public import MediaServer
public import Rooms

/// The tracks that a peer wants among those that it may receive.
public enum RoomView: Hashable, Sendable {
    case everything
    /// All tracks of one peer.
    case peer(PeerID)
    /// Presentations: a screen, or a video that is played to the room.
    case presentation
    /// The camera and the voice of the present or last speaker.
    case activeSpeaker
    /// These tracks only, each on a connection of its own choice.
    case chosen([TrackID: ConnectionKey])

    /// - Parameter speaker: nil without one.
    public func includes(_ track: Track, of publisher: Peer, speaker: PeerID?) -> Bool {
        switch self {
        case .everything: true
        case .peer(let id): publisher.id == id
        case .presentation: track.isPresentation
        case .activeSpeaker: publisher.id == speaker && !track.isPresentation
        case .chosen(let tracks): tracks[track.id] != nil
        }
    }

    /// The only connection that may carry the track; nil for any.
    func connection(of track: TrackID) -> ConnectionKey? {
        guard case .chosen(let tracks) = self else { return nil }
        return tracks[track]
    }
}
