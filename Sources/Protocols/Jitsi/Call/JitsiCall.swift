internal import Jibri
internal import MediaKernel
internal import PeerConnection
internal import RemoteRoom
internal import SDP
internal import XML
internal import XMPP

/// A program's stay in a conference of Jitsi, where it receives and sends nothing: facts go in,
/// orders come out. It has no stream, no media and no clock.
///
/// Drain ``poll()`` after every call. The same value serves every stream of a stay: call
/// ``connected(isResumed:at:)`` when one is ready. Media go on after one is lost.
///
///     offline ► asking the focus ► entering the room ► inside ─┬─ session by the focus, or none
///        ▲           ▲ a pause                           │     └─ its connection, its channel
///        └───────────┴───────────────────────────────────┘
struct JitsiCall {
    /// Where the conference is, and who we are in it.
    struct Entry: Hashable {
        var room: JID
        /// The component that takes conference requests: `focus.` and the server's domain.
        var focus: JID
        /// What members see where we are not hidden.
        var name: String
        var machineID = "roomcast"
        var password: String?
        /// Whether we wait in the room's lobby, where members see us. A jibri does not.
        var knocks = true
        /// Whether the focus is asked by HTTP.
        var asksByHTTP = false
        /// The domain of the accounts that clients do not show.
        var hiddenDomain: String?
        /// Whether we say that we are a jibri.
        var isJibri = false
        /// What the room is shown while we receive.
        var recording: RecordingPresence?
        var timeouts: CallTimeouts?
        var receivesVideo = true
    }

    enum Phase: Hashable {
        case offline
        /// The focus is asked for the first time since then; our question is its answer's, or made
        /// again at `next`.
        case asking(since: Instant, next: Instant?, pause: Duration)
        /// `next` is when another attempt is made.
        case entering(deadline: Instant, next: Instant?, attempts: Int)
        /// In the lobby, or on the way there; `attempts` were made to enter the room.
        case knocking(attempts: Int)
        case inside
        case over
    }

    let entry: Entry
    var random: SeededRandom
    var phase = Phase.offline
    /// Our nick, which is the id of our endpoint at the bridge.
    var nick = ""
    /// The address by which the focus is known.
    var focus: JID?
    /// The occupant of the room that is the focus; nil while it is not there.
    var focusOccupant: JID?
    var focusSession: String?
    var roster: CallRoster
    var book = SourceBook()
    var session: CallSession?
    var sessions = 0
    /// When a focus that was asked for another session must have begun one.
    var invitationDeadline: Instant?
    /// Since when there are others, and no media of theirs.
    var lossSince: Instant?
    var wishes = VideoWishes()
    var recording: RecordingPresence?
    /// Whether anything happens; nil until we are inside, and where it does not matter.
    var watch: CallWatch?
    var hasJoined = false
    var told: Told = Told()
    /// What admits us to the room.
    var door: CallDoor
    private var orders = PollQueue<CallOrder>()

    /// What the program knows.
    struct Told: Hashable {
        var roster: [RemotePeer]?
        /// Whether members or their sources may have changed since.
        var isRosterStale = true
        var cameras = CameraLayers()
        var path: PeerConnectionState?
        var speakers: [RemoteSpeaker] = []
        var notices = 0
    }

    /// - Parameter seed: for nicks.
    init(_ entry: Entry, seed: UInt64) {
        self.entry = entry
        door = CallDoor(password: entry.password)
        random = SeededRandom(seed: seed)
        roster = CallRoster(hiddenDomain: entry.hiddenDomain)
    }

    /// The next order, until nil.
    mutating func poll() -> CallOrder? { orders.poll() }

    mutating func order(_ order: CallOrder) { orders.append(order) }

    /// The occupant of the room that is us.
    var occupant: JID? {
        JID(local: entry.room.local, domain: entry.room.domain, resource: nick)
    }

    // MARK: The stream

    /// A stream is ready.
    ///
    /// - Parameter isResumed: it is that of before, and nothing was lost.
    mutating func connected(isResumed: Bool, at now: Instant) {
        guard phase != .over, !isResumed || phase == .offline else { return }
        if phase != .offline { disconnected(at: now) }
        begin(at: now)
    }

    /// The stream is lost, and with it our place in the room, of which nobody told us.
    private mutating func disconnected(at now: Instant) {
        phase = .offline
        invitationDeadline = nil
        look(at: now)
    }

    /// Ends the stay.
    mutating func leave() {
        guard phase != .over else { return }
        if let session, phase == .inside {
            let goodbye = session.reply.terminate(
                JingleReason("success"), bridgeSession: session.bridgeSession, restarts: false)
            order(.ask(.other, goodbye, to: session.focus))
        }
        if phase != .offline {
            if let stanza = RoomPresence.leaving(entry.room, nick: nick) { order(.send(stanza)) }
            leaveLobby()
        }
        closeSession()
        phase = .over
    }

    mutating func end(_ end: RoomEnd) {
        guard phase != .over else { return }
        leave()
        order(.end(end))
    }

    // MARK: What comes in

    /// A presence or a message of the stream. Others' stanzas are passed over.
    mutating func received(_ stanza: XMLElement, at now: Instant) {
        guard phase != .over, phase != .offline else { return }
        if let presence = RoomPresence(stanza) {
            if presence.room == entry.room {
                appeared(presence, stanza, at: now)
            } else if presence.room == door.lobby?.room {
                appearedInLobby(presence, at: now)
            }
        } else if let invitation = RoomInvitation(stanza, to: entry.room) {
            invited(invitation, at: now)
        } else if let text = RoomText(stanza, of: entry.room) {
            hear(text)
        }
        look(at: now)
    }

    /// The namespaces of the questions that a call answers. Those for features, and pings, are the
    /// XMPP client's.
    static let answered: Set<String> = Set(
        [JitsiNamespaces.jingle]
            + ["audio", "video", "desktop"].map { "\(JitsiNamespaces.meet)/\($0)" })

    /// A question of another's, which gets an answer in any case.
    mutating func requested(_ request: Request, at now: Instant) {
        guard phase != .over else { return }
        let payload = request.payload
        if JingleMessage.isOne(payload), request.kind == .set {
            negotiate(request, at: now)
        } else if payload.name == "mute", payload.namespace.hasPrefix(JitsiNamespaces.meet) {
            // We are mute.
            order(.send(request.result()))
        } else {
            order(.send(request.refusal(StanzaError("service-unavailable", .cancel))))
        }
        look(at: now)
    }

    mutating func answered(_ question: CallQuestion, _ reply: CallReply, at now: Instant) {
        guard phase != .over else { return }
        switch question {
        case .conference: conferenceAnswered(ConferenceReply(reply), at: now)
        case .accept(let number): acceptAnswered(number, reply, at: now)
        case .other: break
        }
        look(at: now)
    }

    /// The answer to a conference request by HTTP.
    mutating func asked(_ reply: ConferenceReply, at now: Instant) {
        guard phase != .over else { return }
        conferenceAnswered(reply, at: now)
        look(at: now)
    }

    private mutating func hear(_ text: RoomText) {
        guard phase == .inside, !text.isOld, text.sender != nick else { return }
        if case .subject(let words) = text.content, words.isEmpty { return }
        order(.message(text.message))
    }

    // MARK: Time

    /// When something is due; nil while nothing is.
    var nextDeadline: Instant? {
        var deadlines = [invitationDeadline, session?.deadline, wishesDeadline]
        switch phase {
        case .asking(_, let next, _): deadlines.append(next)
        case .entering(let deadline, let next, _): deadlines += [deadline, next]
        case .knocking: deadlines.append(door.lobby?.deadline)
        case .offline, .inside, .over: break
        }
        if case .waiting(let next)? = session?.channel { deadlines.append(next) }
        deadlines.append(lossSince.map { $0 + CallLimits.mediaPatience })
        return deadlines.compactMap(\.self).min()
    }

    mutating func handleTimeout(at now: Instant) {
        switch phase {
        case .asking(let since, let next?, let pause) where next <= now:
            ask(since: since, pause: pause)
        case .entering(_, let next?, let attempts) where next <= now:
            enter(attempts: attempts, at: now)
        case .entering(let deadline, _, _) where deadline <= now:
            end(.unreachable("the room does not admit us"))
        case .knocking:
            if let lobby = door.lobby, lobby.deadline <= now { end(CallDoor.unheard) }
        case .offline, .asking, .entering, .inside, .over: break
        }
        if let deadline = session?.deadline, deadline <= now {
            restart("no media within \(CallLimits.connecting)", at: now)
        }
        if let invitationDeadline, invitationDeadline <= now { reenter(at: now) }
        if case .waiting(let next?)? = session?.channel, next <= now { openChannel() }
        tellWishes(at: now)
        look(at: now)
    }

    // MARK: What the program is told

    /// Tells what has changed.
    mutating func look(at now: Instant) {
        guard phase != .over else { return }
        if phase == .inside {
            if roster.isEncrypted {
                return end(
                    .encrypted(
                        "the conference is encrypted from end to end, and a recorder has no key"))
            }
            tellRoster()
        }
        let isConnected = session?.state == .connected
        let isWhole = isConnected || phase == .inside && roster.isEmpty
        if isWhole {
            lossSince = nil
        } else if let since = lossSince {
            if now - since >= CallLimits.mediaPatience {
                return end(.unreachable("no media for \(CallLimits.mediaPatience)"))
            }
        } else if phase == .inside {
            lossSince = now
        }
        if isWhole, phase == .inside, recording == nil { show(entry.recording) }
        let path = isWhole ? PeerConnectionState.connected : .disconnected
        guard path != told.path, isWhole || told.path != nil else { return }
        told.path = path
        order(.path(path))
    }

    private mutating func tellRoster() {
        guard told.isRosterStale else { return }
        told.isRosterStale = false
        let peers = roster.peers(book)
        guard peers != told.roster else { return }
        told.roster = peers
        wishes.keep(Set(peers.flatMap(\.tracks).map(\.id)))
        order(.roster(peers))
        let layers = told.cameras.news(peers)
        if !layers.isEmpty { order(.layers(layers)) }
    }

    /// Warns of what others send, a few times in a stay.
    mutating func note(_ words: String) {
        guard told.notices < CallLimits.notices else { return }
        told.notices += 1
        order(.warn(words))
    }
}
