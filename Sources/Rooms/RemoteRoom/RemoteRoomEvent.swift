public import MediaKernel
public import PeerConnection

/// An event in a room that a program has joined.
public enum RemoteRoomEvent: Sendable {
    /// The room has admitted us; comes once.
    case joined
    /// The server has accepted our tracks.
    case published
    /// All other peers of the room, at every change. The first one comes for an empty room too.
    case roster([RemotePeer])
    /// The connection that carries the room's media has a new state.
    case path(PeerConnectionState)
    /// The layers of some videos, or the forwarded ones among them, have changed.
    case layers([TrackLayers])
    /// A peer asks us to mute or unmute our tracks.
    case muteRequested(TrackMuteRequest)
    /// The active speakers, loudest first.
    case activeSpeakers([RemoteSpeaker])
    case message(RoomMessage)
}
