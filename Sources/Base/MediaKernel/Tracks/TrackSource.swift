/// The source of a track.
public enum TrackSource: Hashable, Sendable {
    /// A camera or a microphone.
    case regular
    /// Media that a peer presents besides itself: a shared screen, a video played to the room, an
    /// application such as a whiteboard; and its sound.
    case presentation
    /// A track of unknown purpose. A video of this kind replaces a missing camera.
    case other
}
