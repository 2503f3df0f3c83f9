internal import XML
internal import XMPP

/// What a recorder's presence tells the room's clients, which then show that they are recorded. They
/// show it while the recorder, a member of the hidden domain, is there.
struct RecordingPresence: Hashable {
    /// As the focus has told it.
    var session: String?
    /// `file` or `stream`.
    var mode: String?
    /// Where everybody can watch.
    var viewURL: String?

    init(session: String? = nil, mode: String? = nil, viewURL: String? = nil) {
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
