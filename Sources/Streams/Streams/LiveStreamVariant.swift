/// One requested view: of the room, or of an external source.
public struct LiveStreamVariant: Hashable, Sendable {
    /// As given, or empty. It names a source or a page of our own rooms, which means the default
    /// view.
    public var meetingURL: String
    /// The caller's own note, returned as given.
    public var metadata: String

    public init(meetingURL: String = "", metadata: String = "") {
        self.meetingURL = meetingURL
        self.metadata = metadata
    }

    /// Nil for the room's own view.
    public var source: StreamSource? { StreamSource(meetingURL: meetingURL) }

    /// The meeting URL without the token of a source, fit for others to see.
    public var shownURL: String { source?.shown ?? meetingURL }
}
