public import MediaKernel
public import Rooms

/// Which of what a peer may receive it wants.
public enum RoomView: Hashable, Sendable {
    case everything
    /// What one peer publishes.
    case peer(PeerID)
    /// What somebody shows: a screen, or a video that is played to the room.
    case presentation
    /// The camera and the voice of whoever speaks, or spoke last.
    case activeSpeaker

    /// - Parameter speaker: who speaks; nil for nobody.
    public func includes(_ track: Track, of publisher: Peer, speaker: PeerID?) -> Bool {
        switch self {
        case .everything: true
        case .peer(let id): publisher.id == id
        case .presentation: track.isPresentation
        case .activeSpeaker: publisher.id == speaker && !track.isPresentation
        }
    }
}
