public import MediaKernel
public import PeerConnection

/// What happens in a room that a program has joined.
public enum RemoteRoomEvent: Sendable {
    /// The room has admitted us; comes once.
    case joined
    /// The server has accepted the tracks that we publish.
    case published
    /// Everybody else in the room, whenever anything of it has changed. The first one comes for an
    /// empty room too.
    case roster([RemotePeer])
    /// The connection on which the room's media come has a new state.
    case path(PeerConnectionState)
    /// Some videos have other layers, or another layer of them is sent.
    case layers([TrackLayers])
    /// Somebody asks us to mute or unmute what we publish.
    case muteRequested(TrackMuteRequest)
    /// Who speaks, the loudest first.
    case activeSpeakers([RemoteSpeaker])
    case message(RoomMessage)
}
