internal import MediaKernel
internal import Rooms

/// The recordings of a room as Jitsi's clients know them: at most one session to a file and one to
/// a stream. They follow what the room says of its recordings, whoever starts and stops those.
struct RecordingBoard {
    private struct Asked {
        let session: RecordingSession
        /// Until when the room may take to say something of it; nil before the start is answered.
        var deadline: Instant?
    }

    private var sessions: [RecordingMode: RecordingSession] = [:]
    /// By members, of which the room has said nothing yet.
    private var asked: [RecordingMode: Asked] = [:]
    /// What the focus shows: like Jicofo's, one at a time, and its end from then on.
    private(set) var shown: RecordingSession?
    /// Those whose recorders are in the XMPP room.
    private var recorders: [RecordingSession] = []

    /// Those that may be stopped.
    var open: [RecordingSession] {
        RecordingMode.allCases.compactMap { sessions[$0] ?? asked[$0]?.session }
    }

    /// A member wants one to begin.
    ///
    /// - Returns: nil if there is one of that kind.
    mutating func ask(
        _ mode: RecordingMode, by nick: String, viewURL: String? = nil
    ) -> RecordingSession? {
        guard sessions[mode] == nil, asked[mode] == nil else { return nil }
        let session = RecordingSession(mode: mode, initiator: nick, viewURL: viewURL)
        asked[mode] = Asked(session: session)
        return session
    }

    /// What a member wanted begins, as the room is about to say.
    mutating func accepted(_ session: RecordingSession, at now: Instant) {
        guard asked[session.mode]?.session.id == session.id else { return }
        asked[session.mode]?.deadline = now + FocusLimits.recording
    }

    /// What a member wanted does not begin.
    mutating func refused(_ session: RecordingSession) {
        if asked[session.mode]?.session.id == session.id { asked[session.mode] = nil }
    }

    /// A member wants all to end: the room has one recording, with or without a file.
    ///
    /// - Parameter nick: nil if it is refused that.
    mutating func end(by nick: String?) {
        for mode in RecordingMode.allCases { sessions[mode]?.terminator = nick }
    }

    /// The room's recordings are these.
    ///
    /// - Parameter nick: of a peer, if it is in the conference.
    /// - Returns: what is to be shown, one after the other.
    mutating func follow(
        _ streaming: RoomStreaming, at now: Instant, nick: (PeerID) -> String?
    ) -> [RecordingSession] {
        let news = RecordingMode.allCases.compactMap { mode in
            follow(RecordingNews(mode, of: streaming), mode, nick) ?? overdue(mode, at: now)
        }
        guard let last = news.last else { return [] }
        // Whoever comes later is told of what goes on, rather than of what is over.
        let remaining = last.status == .off ? sessions.values.first : nil
        let all = news + (remaining.map { [$0] } ?? [])
        shown = all.last
        return all
    }

    /// The XMPP room has no recorders, as it is new or gone.
    mutating func roomChanged() { recorders = [] }

    /// The recorders that come and go, so that those are there whose sessions are on.
    mutating func recordersChanged() -> (came: [RecordingSession], gone: [RecordingSession]) {
        let before = recorders
        recorders = RecordingMode.allCases.compactMap { sessions[$0] }.filter { $0.status == .on }
        return (
            recorders.filter { one in !before.contains { $0.id == one.id } },
            before.filter { one in !recorders.contains { $0.id == one.id } }
        )
    }

    private mutating func follow(
        _ news: RecordingNews, _ mode: RecordingMode, _ nick: (PeerID) -> String?
    ) -> RecordingSession? {
        let known = sessions[mode]
        if known == nil, news.isOver { return nil }
        var session =
            known ?? asked.removeValue(forKey: mode)?.session
            ?? RecordingSession(mode: mode, initiator: news.starter.flatMap(nick))
        session.status = news.status(after: session.status)
        session.failure = news.failure
        sessions[mode] = news.isOver ? nil : session
        return known == session ? nil : session
    }

    /// One that was started, and of which the room has said nothing for too long.
    private mutating func overdue(_ mode: RecordingMode, at now: Instant) -> RecordingSession? {
        guard let deadline = asked[mode]?.deadline, deadline <= now,
            var session = asked.removeValue(forKey: mode)?.session
        else { return nil }
        (session.status, session.failure) = (.off, .error)
        return session
    }
}

/// What the room says of its recording to a file, or to other servers.
private struct RecordingNews {
    private enum State {
        case none, begins, runs
    }

    private let state: State
    let failure: RecordingSession.Failure?
    let starter: PeerID?

    init(_ mode: RecordingMode, of streaming: RoomStreaming) {
        switch mode {
        case .file:
            let recording = streaming.recording
            switch recording?.state {
            case .initialised: state = .begins
            case .started, .paused, .resumed: state = .runs
            case .some(.none), .stopped, .failed, nil: state = .none
            }
            let hasFailed = recording?.state == .failed
            failure = hasFailed ? recording?.error?.cause == .unavailable ? .busy : .error : nil
            starter = recording?.startedBy
        case .stream:
            guard case .pushed(let pushes) = streaming.rtmp else {
                (state, failure, starter) = (.none, nil, nil)
                return
            }
            switch pushes.state {
            case .initialised: state = .begins
            case .started: state = .runs
            case .none, .stopped, .failed: state = .none
            }
            failure = pushes.state == .failed ? .error : nil
            starter = pushes.startedBy
        }
    }

    var isOver: Bool { state == .none }

    /// A push that is made again goes on, as far as people are concerned.
    func status(after before: RecordingSession.Status) -> RecordingSession.Status {
        switch state {
        case .none: .off
        case .begins: before
        case .runs: .on
        }
    }
}
