internal import MediaKernel
internal import RemoteRoom
internal import XML
internal import XMPP

/// The way into the room: the focus is asked to be there, then the room is entered.
extension JitsiCall {
    mutating func begin(at now: Instant) {
        ask(since: now, pause: CallLimits.firstPause)
    }

    /// - Parameter pause: before the next question, if the conference is not ready.
    mutating func ask(since: Instant, pause: Duration) {
        phase = .asking(since: since, next: nil, pause: pause)
        askFocus()
    }

    private mutating func askFocus() {
        let request = ConferenceRequest(
            room: entry.room, machineID: entry.machineID, sessionID: focusSession)
        order(
            entry.asksByHTTP
                ? .post(request) : .ask(.conference, request.element, to: entry.focus))
    }

    mutating func conferenceAnswered(_ reply: ConferenceReply, at now: Instant) {
        // The focus was asked again since it had left. We are in the room.
        if phase == .inside {
            if case .answer(let answer) = reply { focus = answer.focus ?? focus }
            return
        }
        guard case .asking(_, nil, _) = phase else { return }
        switch reply {
        case .answer(let answer): ready(answer, at: now)
        case .refused(.notAuthorized):
            end(
                .refused(
                    code: 401, message: "only users who have logged in may create the room"))
        case .refused(.sessionInvalid):
            focusSession = nil
            askLater("the focus does not know its session", at: now)
        case .refused(.away(let words)): askLater(words, at: now)
        case .refused(.final(let words)): end(.refused(code: 400, message: shown(words)))
        case .malformed(let fault): end(.protocolViolation("conference: \(fault)"))
        }
    }

    private mutating func ready(_ answer: ConferenceAnswer, at now: Instant) {
        focus = answer.focus ?? focus
        focusSession = answer.sessionID ?? focusSession
        guard answer.isLive else {
            return end(.refused(code: 404, message: "the conference has not begun"))
        }
        guard answer.isReady else { return askLater("the conference is not ready", at: now) }
        // Without it, any member could give itself out as the focus.
        guard focus != nil else {
            return end(.protocolViolation("conference: the focus does not tell its address"))
        }
        enter(attempts: 0, at: now)
    }

    private mutating func askLater(_ reason: String, at now: Instant) {
        guard case .asking(let since, _, let pause) = phase else { return }
        guard now - since < CallLimits.conferencePatience else {
            return end(.unreachable(shown(reason)))
        }
        phase = .asking(
            since: since, next: now + pause, pause: min(pause * 2, CallLimits.longestPause))
    }

    // MARK: The room

    /// - Parameter attempts: that were made since the focus was ready.
    mutating func enter(attempts: Int, at now: Instant) {
        if nick.isEmpty { takeNick() }
        roster.begin()
        focusOccupant = nil
        phase = .entering(deadline: now + CallLimits.entry, next: nil, attempts: attempts + 1)
        guard
            let stanza = RoomPresence.present(
                in: entry.room, nick: nick, entering: true, password: door.password,
                ownPresence.elements)
        else { return end(.badEndpoint(entry.room.description)) }
        order(.send(stanza))
    }

    /// Leaves the room for another attempt, since the focus has nothing for us here.
    mutating func reenter(at now: Instant) {
        invitationDeadline = nil
        guard phase == .inside else { return }
        if let stanza = RoomPresence.leaving(entry.room, nick: nick) { order(.send(stanza)) }
        closeSession()
        // What still comes from the room is meant for the nick of before.
        takeNick()
        begin(at: now)
    }

    /// Eight hexadecimal digits, as in Jitsi's clients: some servers admit no others.
    private mutating func takeNick() {
        nick = Hexadecimal.text(UInt32(truncatingIfNeeded: random.next()))
    }

    private var ownPresence: OwnPresence {
        OwnPresence(name: entry.name, isJibri: entry.isJibri, recording: recording)
    }

    /// Tells the room's clients what is recorded; nil for nothing.
    mutating func show(_ recording: RecordingPresence?) {
        guard recording != self.recording else { return }
        self.recording = recording
        guard phase == .inside,
            let stanza = RoomPresence.present(
                in: entry.room, nick: nick, entering: false, ownPresence.elements)
        else { return }
        order(.send(stanza))
    }

    /// Somebody in the room came, changed or went, or we did.
    mutating func appeared(
        _ presence: RoomPresence, _ stanza: XMLElement, at now: Instant
    ) {
        if presence.isOwn || presence.nick == nick {
            guard presence.nick == nick else { return }
            return appearedOurselves(presence, stanza, at: now)
        }
        if isFocus(presence) { return focusAppeared(presence, stanza, at: now) }
        switch presence.change {
        case .present:
            let member = Member(presence, stanza)
            told.isRosterStale = told.isRosterStale || roster[member.id] != member
            if let fault = member.fault { note("presence of \(member.id.prefix(64)): \(fault)") }
            let wasEncrypted = roster[member.id]?.isEncrypted ?? false
            guard roster.put(member) else { return note("the room has too many members") }
            if member.isEncrypted, !wasEncrypted {
                note("\(member.id.prefix(64)) encrypts from end to end, and cannot be recorded")
            }
        // One that is renamed comes again, as another endpoint.
        case .left, .kicked, .destroyed, .removed, .renamed:
            roster.remove(presence.nick)
            told.isRosterStale = true
            guard !book.sources(of: presence.nick).isEmpty else { return }
            book.remove(owner: presence.nick)
            describe()
        case .refused: break
        }
    }

    /// Whether this is the focus, which leaves under the nick under which it came.
    private mutating func isFocus(_ presence: RoomPresence) -> Bool {
        let hasItsNick = presence.nick == focusOccupant?.resource
        guard presence.change == .present else { return hasItsNick }
        let isFocus = Member.isFocus(presence, focus)
        if hasItsNick, !isFocus { focusOccupant = nil }
        return isFocus
    }

    private mutating func appearedOurselves(
        _ presence: RoomPresence, _ stanza: XMLElement, at now: Instant
    ) {
        switch presence.change {
        case .present:
            guard case .entering = phase else { return }
            phase = .inside
            leaveLobby()
            roster.settle()
            told.isRosterStale = true
            if !hasJoined { order(.joined) }
            hasJoined = true
        case .refused(let error): refused(error, lobby: RoomInvitation.lobby(stanza), at: now)
        case .kicked(let reason):
            end(.removed(reason: shown(reason.flatMap { $0.isEmpty ? nil : $0 } ?? "kicked")))
        case .destroyed: end(.roomEnded(reason: "the room was destroyed"))
        // The server goes down; what follows is the stream's end.
        case .removed(status: 332): break
        case .removed(let status): end(.removed(reason: "status \(status)"))
        case .renamed(let name): nick = name
        case .left:
            // We asked for it before we entered again, or the server lost us.
            guard phase == .inside else { return }
            closeSession()
            begin(at: now)
        }
    }

    private mutating func focusAppeared(
        _ presence: RoomPresence, _ stanza: XMLElement, at now: Instant
    ) {
        switch presence.change {
        case .present:
            focusOccupant = JID(
                local: entry.room.local, domain: entry.room.domain, resource: presence.nick)
            if FocusPresence(stanza).lacksBridge { note("the conference has no bridge") }
        case .left, .kicked, .destroyed, .removed, .renamed:
            focusOccupant = nil
            // A focus that comes back invites all members again. It comes when it is asked.
            if phase == .inside { askFocus() }
        case .refused: break
        }
    }

    /// XEP-0045 sect. 7.2. The codes are those that errors had before they had names (XEP-0086).
    private mutating func refused(_ error: StanzaError, lobby: JID?, at now: Instant) {
        guard case .entering(_, _, let attempts) = phase else {
            return note("the room refuses our presence: \(shown(error.description))")
        }
        func refusal(_ code: Int, _ message: String) -> RoomEnd {
            .refused(code: code, message: message)
        }
        func closed(_ code: Int, _ message: String) -> RoomEnd {
            .closed(code: code, message: message)
        }
        let isLast = attempts >= CallLimits.entryAttempts
        switch error.condition {
        case "conflict" where !isLast, "not-acceptable" where !isLast:
            takeNick()
            enter(attempts: attempts, at: now)
        // A room that is just being created; or only the focus may create it, and is about to.
        case "not-allowed" where !isLast, "resource-constraint" where !isLast:
            phase = .entering(
                deadline: now + CallLimits.entry, next: now + CallLimits.entryPause,
                attempts: attempts)
        case "conflict": end(refusal(409, "the room has another member of our name"))
        case "not-authorized":
            end(
                closed(
                    401,
                    door.password == nil
                        ? "the room has a password" : "the room has another password"))
        case "registration-required":
            guard entry.knocks, let lobby else {
                return end(
                    closed(
                        407,
                        "the room has a lobby, where somebody would have to let the recorder in"))
            }
            knock(at: lobby, attempts: attempts, at: now)
        case "service-unavailable": end(refusal(503, "the room is full"))
        case "forbidden": end(closed(403, "the recorder is banned from the room"))
        case "item-not-found": end(refusal(404, "the room does not exist"))
        default: end(refusal(405, shown(error.description)))
        }
    }

    /// A stranger's words without the room's password.
    func shown(_ words: String) -> String {
        let secrets = [entry.password, door.password].compactMap(\.self)
        let hidden = RoomSecrets(secrets).hidden(in: words)
        return String(String.UnicodeScalarView(hidden.unicodeScalars.prefix(256)))
    }
}
