import MediaKernel

/// One requested view: of the room, of an external source, or of a page of the web.
public struct LiveStreamVariant: Hashable, Sendable {
    /// As given, or empty. It names a source or a page of our own rooms, which means the default
    /// view.
    public var meetingURL: String
    /// The caller's own note, returned as given.
    public var metadata: String
    /// Whether the meeting URL is that of a page to be shown by a browser: only the server knows
    /// which pages are its own rooms'.
    public var isPage: Bool
    /// Where the conference is that is to be streamed. Nil if the settings are to say that, as for
    /// callers of the API, and for everything else.
    public var conference: JitsiConference?

    public init(
        meetingURL: String = "", metadata: String = "", isPage: Bool = false,
        conference: JitsiConference? = nil
    ) {
        self.meetingURL = meetingURL
        self.metadata = metadata
        self.isPage = isPage
        self.conference = conference
    }

    /// Nil for the room's own view.
    public var source: StreamSource? {
        if isPage { return WebAddress(meetingURL).map(StreamSource.page) }
        return WHEPSource(meetingURL: meetingURL).map(StreamSource.whep)
            ?? OpenViduSource(meetingURL: meetingURL).map(StreamSource.openVidu)
            ?? JitsiSource(meetingURL: meetingURL).map(StreamSource.jitsi)
    }

    /// The meeting URL without the token of a source, fit for others to see.
    public var shownURL: String { source?.shown ?? meetingURL }
}
