public import MediaKernel
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

    /// - Parameter speaker: nil without one.
    public func includes(_ track: Track, of publisher: Peer, speaker: PeerID?) -> Bool {
        switch self {
        case .everything: true
        case .peer(let id): publisher.id == id
        case .presentation: track.isPresentation
        case .activeSpeaker: publisher.id == speaker && !track.isPresentation
        }
    }
}
