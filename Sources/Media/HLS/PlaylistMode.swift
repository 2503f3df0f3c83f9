/// How much of a running stream its media playlists show.
public enum PlaylistMode: Hashable, Sendable {
    /// The newest segments; their number is raised where RFC 8216 sect. 6.2.2 needs it.
    case live(window: Int)
    /// Every segment from the start: viewers may seek back.
    case event
}
