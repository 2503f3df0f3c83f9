/// The source of a track.
public enum TrackSource: Hashable, Sendable {
    /// A camera or a microphone.
    case regular
    /// What somebody shows beside themselves: a shared screen, a video that is played to the room,
    /// an application such as a whiteboard; and the sound of it.
    case presentation
    /// Something of which no more is known. A video stands in for a camera that is not there.
    case other
}
