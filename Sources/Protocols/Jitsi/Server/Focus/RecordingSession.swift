internal import MediaKernel

/// What a recorder makes of a conference, in Jitsi's words.
enum RecordingMode: String, CaseIterable {
    case file, stream
}

/// One recording, as Jitsi's clients know it.
struct RecordingSession: Hashable {
    enum Status: String {
        case pending, on, off
    }

    enum Failure: String {
        case busy, error
    }

    let id = Hexadecimal.identifier()
    let mode: RecordingMode
    /// The nicks of who has started it and who has ended it, of those in the conference.
    let initiator: String?
    /// Where people watch a stream, if whoever has started it has said so.
    let viewURL: String?
    var terminator: String?
    var status = Status.pending
    var failure: Failure?

    /// Of its recorder: as clients take theirs.
    var nick: String { String(id.prefix(8)) }

    init(mode: RecordingMode, initiator: String?, viewURL: String? = nil) {
        self.mode = mode
        self.initiator = initiator
        self.viewURL = viewURL
    }
}
