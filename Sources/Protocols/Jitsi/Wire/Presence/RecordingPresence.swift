internal import XML
internal import XMPP

/// What a recorder's presence tells the room's clients, which then show that they are recorded. They
/// show it while the recorder, a member of the hidden domain, is there.
public struct RecordingPresence: Hashable, Sendable {
    /// As the focus has told it.
    public var session: String?
    /// `file` or `stream`.
    public var mode: String?
    /// Where everybody can watch.
    public var viewURL: String?

    public init(session: String? = nil, mode: String? = nil, viewURL: String? = nil) {
        self.session = session
        self.mode = mode
        self.viewURL = viewURL
    }

    var elements: [XMLElement] {
        [("session_id", session), ("mode", mode), ("live-stream-view-url", viewURL)]
            .compactMap { name, value in
                value.map { XMLElement(name, Namespaces.client, text: $0) }
            }
    }
}
