/// One view of the room that somebody asked to stream.
public struct LiveStreamVariant: Hashable, Sendable {
    /// As it was given; empty when none was. Only pages of our own rooms pass, so it always means
    /// the default view.
    public var meetingURL: String
    /// The caller's own note, returned as given.
    public var metadata: String

    public init(meetingURL: String = "", metadata: String = "") {
        self.meetingURL = meetingURL
        self.metadata = metadata
    }
}
