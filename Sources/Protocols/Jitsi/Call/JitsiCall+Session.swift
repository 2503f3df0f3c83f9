internal import MediaKernel
internal import PeerConnection
internal import RemoteRoom
internal import SDP
internal import XML
internal import XMPP

/// The session with the bridge. The focus speaks for the bridge, and only the focus: members of a
/// room of two call each other directly, which we take no part in.
extension JitsiCall {
    /// A request in Jingle.
    mutating func negotiate(_ request: Request, at now: Instant) {
        guard let from = request.from, from == focusOccupant, phase == .inside else {
            return order(.send(JingleRefusal.notFromFocus.answer(to: request)))
        }
        let message: JingleMessage
        do throws(JitsiFault) {
            message = try JingleMessage(request.payload)
            if message.action == .sessionInitiate {
                guard session?.id != message.session else {
                    return order(.send(JingleRefusal.taken.answer(to: request)))
                }
                let plan = try SectionPlan(message.contents)
                order(.send(request.result()))
                return begin(message, plan, with: from, at: now)
            }
        } catch {
            note("the focus' description is not understood: \(error)")
            return order(.send(JingleRefusal.malformed(error).answer(to: request)))
        }
        guard message.session == session?.id else {
            return order(.send(JingleRefusal.unknownSession.answer(to: request)))
        }
        switch message.action {
        case .sourceAdd:
            order(.send(request.result()))
            add(message.sources)
            describe()
        case .sourceRemove:
            order(.send(request.result()))
            book.remove(message.sources)
            told.isRosterStale = true
            describe()
        case .sessionTerminate:
            order(.send(request.result()))
            // Members and their tracks stay: mostly, another session follows at once.
            closeSession()
        case .sessionInfo: order(.send(request.result()))
        case .transportInfo:
            order(.send(request.result()))
            heard(message.contents.lazy.compactMap(\.transport).first)
        case .transportReplace: replaceTransport(message, from, request, at: now)
        case .sessionInitiate, nil:
            order(.send(JingleRefusal.unsupported.answer(to: request)))
        }
    }

    /// More of the bridge's transport: mostly of a restart of ICE, in which the old path carries
    /// media until the new one does. Late and repeated ones are passed over.
    private mutating func heard(_ transport: JingleTransport?) {
        guard var session, let transport else { return }
        if let generation = transport.generation {
            guard generation > session.restart.generation ?? 0 else { return }
            session.restart.generation = generation
        }
        if session.plan.take(transport) { session.restart.isDue = true }
        self.session = session
        describe()
    }

    /// The session goes on with another bridge, on a connection of its own.
    private mutating func replaceTransport(
        _ message: JingleMessage, _ focus: JID, _ request: Request, at now: Instant
    ) {
        guard let session else { return }
        let plan: SectionPlan
        do throws(JitsiFault) {
            plan = try session.plan.moved(to: message.contents)
        } catch {
            note("the focus' description is not understood: \(error)")
            order(.send(JingleRefusal.malformed(error).answer(to: request)))
            return restart("the focus replaces the transport", at: now)
        }
        order(.send(request.result()))
        begin(message, plan, with: focus, as: .transport, at: now)
    }

    private mutating func begin(
        _ message: JingleMessage, _ plan: SectionPlan, with focus: JID,
        as acceptance: JingleReply.Acceptance = .session, at now: Instant
    ) {
        let bridgeSession =
            message.bridgeSession ?? (acceptance == .transport ? session?.bridgeSession : nil)
        closeSession()
        guard let occupant else { return }
        sessions += 1
        invitationDeadline = nil
        session = CallSession(
            number: sessions, focus: focus,
            reply: JingleReply(
                session: message.session, initiator: message.initiator, responder: occupant),
            bridgeSession: bridgeSession, startedAt: now, acceptance: acceptance, plan: plan)
        // With another transport come all sources anew, or none if they are those of before.
        let keepsSources = acceptance == .transport && message.sources.sources.isEmpty
        if !keepsSources { book = SourceBook() }
        told.isRosterStale = true
        add(message.sources)
        describe()
    }

    private mutating func add(_ list: SourceList) {
        let left = book.add(list) + list.rejected
        told.isRosterStale = true
        if left > 0 { note("\(left) sources are not what they claim to be") }
    }

    /// Has our media follow the sources.
    mutating func describe() {
        guard var session else { return }
        let sources = roster.ordered(book).filter { entry.receivesVideo || !$0.isVideo }
        let offer = session.plan.offer(sources)
        self.session?.plan = session.plan
        order(.media(.describe(session.number, offer)))
    }

    mutating func closeSession() {
        guard let session else { return }
        order(.media(.close(session.number)))
        self.session = nil
        tellSpeakers([])
    }

    /// Asks the focus for another session.
    mutating func restart(_ reason: String, at now: Instant) {
        guard let session else { return }
        note("the session with the bridge begins anew: \(reason)")
        let request = session.reply.terminate(
            JingleReason("connectivity-error"), bridgeSession: session.bridgeSession, restarts: true
        )
        if phase == .inside {
            order(.ask(.other, request, to: session.focus))
            invitationDeadline = now + CallLimits.invitation
        }
        closeSession()
    }

    // MARK: What the media tell

    /// The offer is applied; this is our side. The first time, the focus gets it.
    mutating func described(_ number: Int, _ answer: SessionDescription, at now: Instant) {
        guard var session, session.number == number else { return }
        let fragment = JingleTransport(of: answer).usernameFragment
        guard session.phase == .describing else { return described(anew: answer, fragment) }
        session.phase = .accepting
        session.restart.ownFragment = fragment
        self.session = session
        let accept = session.reply.accept(
            session.plan.described, by: answer, Defaults.roomcast, as: session.acceptance)
        order(.ask(.accept(number), accept, to: session.focus))
        openChannel()
        look(at: now)
    }

    /// Later descriptions are no concern of the focus, but for one with which ICE begins anew.
    private mutating func described(anew answer: SessionDescription, _ fragment: String?) {
        guard let session, session.restart.isDue, fragment != session.restart.ownFragment,
            let content = session.plan.described.first
        else { return }
        self.session?.restart.isDue = false
        self.session?.restart.ownFragment = fragment
        let told = session.reply.restart(
            content, by: answer, generation: session.restart.generation)
        order(.ask(.other, told, to: session.focus))
    }

    mutating func mediaFailed(_ number: Int, _ reason: String, at now: Instant) {
        guard session?.number == number else { return }
        restart(reason, at: now)
        look(at: now)
    }

    mutating func acceptAnswered(_ number: Int, _ reply: CallReply, at now: Instant) {
        guard session?.number == number, session?.phase == .accepting else { return }
        switch reply {
        case .result: session?.phase = .open
        case .refused(let error):
            note("the focus refuses our description: \(shown(error.description))")
            reenter(at: now)
        case .silence: reenter(at: now)
        }
    }

    mutating func stateChanged(_ number: Int, _ state: PeerConnectionState, at now: Instant) {
        guard session?.number == number else { return }
        session?.state = state
        if state == .failed { restart("the connection has failed", at: now) }
        look(at: now)
    }
}
