internal import Logging
internal import MediaKernel
internal import MediaServer
internal import RoomHost
internal import Rooms
internal import XML
internal import XMPP

/// The members of one room that use Jitsi's protocol, on the server (`docs/JITSI.md`).
///
/// Their way to us is the XMPP room of the same name, in which we are the focus; their media come
/// here. Peers of other protocols are guests in the XMPP room: each is an occupant there, whose
/// address is one of ours. Other modules use it through ``JitsiEntrance``.
final class JitsiSessions: RoomSessions {
    /// What was asked of a member.
    enum Question: Hashable {
        case features(String)
        /// The session's id.
        case invitation(String, session: String)
        case other
    }

    let settings: FocusSettings
    private let sink: any StanzaPost
    /// Nil while nobody has asked for the conference.
    var place: FocusPlace?
    /// By nick.
    var members: [String: FocusMember] = [:]
    var nicks: [PeerID: String] = [:]
    var guests = GuestList()
    var recordings = RecordingBoard()
    var channels = ChannelBook()
    /// The nicks of those who spoke last, the newest first.
    var speakers: [String] = []
    var isSilent = true
    private var questions = PendingRequests()
    private var asked: [String: Question] = [:]
    private var arrivals = 0
    /// Of newcomers.
    var welcomes = TokenBucket(
        rate: FocusLimits.arrivalsPerSecond, burst: FocusLimits.arrivalsBurst, at: .zero)
    /// Until when an empty conference waits.
    private var waitsUntil: Instant?

    init(settings: FocusSettings, post: any StanzaPost) {
        self.settings = settings
        sink = post
    }

    // MARK: The conference

    /// Somebody wants to come: we are there first. See ``JitsiEntrance/open(_:)``.
    func open(_ room: JID, in host: isolated RoomHost) {
        if members.isEmpty { waitsUntil = host.clock.now() + FocusLimits.waiting }
        guard place == nil else { return }
        // The room may be recorded already.
        followRecordings(in: host)
        recordings.roomChanged()
        let place = FocusPlace(
            room: room.bare, component: settings.component, recorders: settings.recorders)
        self.place = place
        host.logger.info("conference opened", metadata: ["muc": "\(room)"])
        sink.post(place.entering(recordings.shown))
    }

    /// The XMPP server is there again, and has forgotten us.
    ///
    /// - Returns: whether there is a conference.
    func comeBack() -> Bool {
        guard let place else { return false }
        for nick in members.keys { members[nick]?.isSeen = false }
        recordings.roomChanged()
        sink.post(place.entering(recordings.shown))
        for guest in guests.guests.values { sink.post(place.entering(guest)) }
        return true
    }

    /// Ends the conference; members who are still there are told by the end of their room.
    func close(reason: String, in host: isolated RoomHost) {
        guard let place else { return }
        ask(
            .set, FocusPlace.destroying(reason: reason), to: place.room.description, .other,
            in: host)
        host.logger.info("conference closed", metadata: ["reason": "\(reason)"])
        self.place = nil
        // Nobody is left who could.
        _ = try? host.room.moderationRequested(.end, by: nil, at: host.clock.now())
        channels.removeAll()
        members = [:]
        nicks = [:]
        guests.removeAll()
        speakers = []
        waitsUntil = nil
    }

    func nextNumber() -> Int {
        arrivals += 1
        return arrivals
    }

    /// Whoever comes ends the waiting.
    func memberCame() { waitsUntil = nil }

    func member(_ peer: PeerID) -> FocusMember? { nicks[peer].flatMap { members[$0] } }

    // MARK: Stanzas

    func post(_ stanza: XMLElement) { sink.post(stanza) }

    /// Asks as the focus. The answer comes to ``answered(_:_:in:)``, unless too many are awaited:
    /// some members may not answer, and the others need to be told all the same.
    func ask(
        _ kind: Request.Kind, _ payload: XMLElement, to: String, _ question: Question,
        in host: isolated RoomHost
    ) {
        guard let place else { return }
        let pending = questions.ask(
            kind, payload, to: JID(to), until: host.clock.now() + FocusLimits.answer)
        guard let (stanza, id) = pending else {
            sink.post(place.request("unheard", kind, payload, to: to))
            if case .features(let nick) = question { inviteLater(nick, in: host) }
            return
        }
        asked[id] = question
        var addressed = stanza
        addressed["from"] = place.focus
        sink.post(addressed)
    }

    /// Invites a client of which nobody knows what it can do.
    private func inviteLater(_ nick: String, in host: isolated RoomHost) {
        let entrance = JitsiEntrance(host: host)
        Task { await entrance.inviteSilent(nick) }
    }

    /// A stanza from the conference's room, or from a member itself. See
    /// ``JitsiEntrance/received(_:)``.
    func received(_ stanza: XMLElement, in host: isolated RoomHost) async {
        guard let from = stanza["from"].flatMap({ JID($0) }) else { return }
        if let (id, outcome) = questions.answered(stanza) {
            await answered(asked.removeValue(forKey: id), outcome, in: host)
        } else if let request = Request(stanza) {
            await answer(request, to: stanza["to"] ?? "", in: host)
        } else if stanza.name == "presence" {
            saw(stanza, from: from, in: host)
        } else if stanza.name == "message" {
            if from.bare == place?.room {
                heard(stanza, from: from, in: host)
            } else {
                ModerationDesk(sessions: self).heard(stanza, from: from, in: host)
            }
        }
        await host.settle()
    }

    private func answered(
        _ question: Question?, _ outcome: PendingRequests.Outcome, in host: isolated RoomHost
    ) async {
        switch (question, outcome) {
        case (.features(let nick), .result(let query)):
            await invite(nick, query.map { ClientFeatures($0) } ?? .standard, in: host)
        case (.features(let nick), .refused):
            await invite(nick, .standard, in: host)
        case (.invitation(let nick, let session), .refused(let error)):
            guard members[nick]?.session?.id == session else { break }
            host.logger.notice(
                "invitation refused", metadata: ["nick": "\(nick)", "error": "\(error)"])
            endSession(of: nick, in: host)
        case (.invitation, .result), (.other, .result), (nil, _): break
        case (.other, .refused(let error)):
            host.logger.notice("request refused", metadata: ["error": "\(error)"])
        }
    }

    // MARK: - RoomSessions

    func tell(_ peers: [PeerID], _ event: Rooms.RoomEvent, in host: isolated RoomHost) {
        guard let place else { return }
        switch event {
        case .peerJoined(let peer), .peerUpdated(let peer), .tracksAdded(_, let peer),
            .tracksUpdated(_, let peer), .tracksRemoved(_, let peer):
            show(peer.id, in: host)
        case .peerLeft(let peer), .peerReceded(let peer):
            hide(peer.id)
        case .messageSent(let message):
            tell(message, to: peers, at: place)
        case .trackMuteRequested(let track, let isMuted, let asker):
            for peer in peers {
                askToMute(track, isMuted, peer, by: asker, in: host)
            }
        case .unmuteHeld(let track, let starter):
            for peer in peers { askToMute(track, true, peer, by: starter, in: host) }
        case .mutesRequested(let request, let asker):
            for peer in peers {
                for track in member(peer)?.tracks ?? [] where request.includes(track) {
                    askToMute(track, request.isMuted, peer, by: asker, in: host)
                }
            }
        case .roomRecordingChanged, .rtmpChanged:
            followRecordings(in: host)
        case .policyChanged:
            ModerationDesk(sessions: self).followRoles(of: peers, in: host)
        case .roleOffered, .hlsChanged, .recordingChanged, .storeChanged,
            .pollStarted, .pollStopped, .pollCounted, .noticed:
            // Without a counterpart in this protocol.
            break
        }
    }

    func dismiss(_ peers: [Peer], _ dismissal: Dismissal, in host: isolated RoomHost) {
        guard let place else { return }
        if dismissal.isRoomEnd { return close(reason: dismissal.reason, in: host) }
        for peer in peers {
            guard let nick = nicks[peer.id] else { continue }
            ask(
                .set, FocusPlace.kicking(nick, reason: dismissal.reason),
                to: place.room.description, .other, in: host)
        }
    }

    func forget(_ peer: PeerID) {
        guard let nick = nicks.removeValue(forKey: peer) else { return }
        members[nick] = nil
        channels.remove(nick)
    }

    func received(_ event: MediaEvent, in host: isolated RoomHost) async {
        switch event {
        case .tracksSent(let peer, let key, let tracks):
            guard let nick = nicks[peer], members[nick]?.session?.key == key else { break }
            members[nick]?.session?.sent = tracks
            await tellSources(to: nick, in: host)
        case .dataText(let peer, let key, let text):
            guard let nick = nicks[peer], members[nick]?.session?.key == key else { break }
            await heardOnBridge(text, from: nick, in: host)
        case .activeSpeakers(let loud):
            await tellSpeakers(loud, in: host)
        case .subscribeOffer, .connection, .trackMedia, .excessMedia, .dataBinary, .trackLayers,
            .connectionQuality:
            break
        }
    }

    func handleTimeout(at now: Instant, in host: isolated RoomHost) {
        // Of what changes while nobody has joined, nobody is told.
        followRecordings(in: host)
        for id in questions.timedOut(now) {
            guard case .features(let nick)? = asked.removeValue(forKey: id) else { continue }
            inviteLater(nick, in: host)
        }
        for (nick, member) in members {
            guard let deadline = member.session?.deadline, deadline <= now else { continue }
            host.log(.notice, "session not accepted", member.peer)
            terminate(nick, JingleReason("timeout"), in: host)
        }
        welcome(in: host)
        guard place != nil, members.isEmpty else { return }
        let end = waitsUntil ?? now + FocusLimits.waiting
        waitsUntil = end
        if end <= now { close(reason: "empty", in: host) }
    }

    /// A client that does not say what it can do.
    func inviteSilent(_ nick: String, in host: isolated RoomHost) async {
        await invite(nick, .standard, in: host)
        await host.settle()
    }

    func closeAll(reason: String, in host: isolated RoomHost) { close(reason: reason, in: host) }

    func isConnected(_ peer: PeerID) -> Bool { nicks[peer] != nil }

    var isEmpty: Bool { place == nil }
}
