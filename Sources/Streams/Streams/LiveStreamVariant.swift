/// One view that somebody asked to stream: of the room, or of a source outside of it.
public struct LiveStreamVariant: Hashable, Sendable {
    /// As it was given; empty when none was. It names a source, or a page of our own rooms, which means
    /// the default view.
    public var meetingURL: String
    /// The caller's own note, returned as given.
    public var metadata: String

    public init(meetingURL: String = "", metadata: String = "") {
        self.meetingURL = meetingURL
        self.metadata = metadata
    }

    /// Nil for the room's own view.
    public var source: StreamSource? { StreamSource(meetingURL: meetingURL) }

    /// The meeting URL as others may see it, without the token of a source.
    public var shownURL: String { source?.shown ?? meetingURL }
}
