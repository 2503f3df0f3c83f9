internal import Jibri
internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms
internal import XML
internal import XMPP

/// A member's wish to start or stop a recording, which may take a while.
struct RecordingErrand: Sendable {
    enum Work: Sendable {
        case start(RecordingSession, target: String?)
        case stop
    }

    /// Nil if it is nobody's wish, but follows from what has happened.
    let request: Request?
    let peer: PeerID
    let work: Work
}

/// The recording button of members. Recordings are the room's, as those of all protocols.
extension JitsiSessions {
    /// - Returns: the answer; nil if it comes when the work is done.
    func answer(
        recording request: Request, from nick: String, in host: isolated RoomHost
    ) -> XMLElement? {
        do throws(StanzaError) {
            guard let member = members[nick], member.hasJoined else {
                throw StanzaError("forbidden", .auth)
            }
            let work = try work(RecordingOrder(request.payload), of: member, in: host)
            begin(RecordingErrand(request: request, peer: member.peer, work: work), in: host)
            return nil
        } catch {
            return request.refusal(error)
        }
    }

    /// The conference does not wait for disks.
    private func begin(_ errand: RecordingErrand, in host: isolated RoomHost) {
        let entrance = JitsiEntrance(host: host)
        Task { await entrance.carryOut(errand) }
    }

    private func work(
        _ order: RecordingOrder, of member: FocusMember, in host: isolated RoomHost
    ) throws(StanzaError) -> RecordingErrand.Work {
        switch order {
        case .start(let target):
            let mode: RecordingMode = target == nil ? .file : .stream
            try host.checkRecording([mode], by: member.peer)
            let session = recordings.ask(mode, by: member.nick, viewURL: target?.viewURL)
            guard let session else {
                throw StanzaError(
                    "unexpected-request", .wait,
                    text: "Recording or live streaming is already enabled")
            }
            return .start(session, target: target?.url)
        case .stop(let id, let mode):
            let open = recordings.open
            // Both end together, so a member must be allowed to end what there is.
            try host.checkRecording(open.map(\.mode), by: member.peer)
            guard
                open.contains(where: { session in
                    id.map { $0 == session.id } ?? mode.map { $0 == session.mode } ?? true
                })
            else { throw StanzaError("item-not-found", .cancel, text: "Unknown session") }
            recordings.end(by: member.nick)
            return .stop
        }
    }

    /// See ``JitsiEntrance/carryOut(_:)``.
    func carryOut(_ errand: RecordingErrand, in host: isolated RoomHost) async {
        var answer: XMLElement?
        do {
            switch errand.work {
            case .start(let session, let target):
                try await host.streaming.startRecording(
                    room: host.room.id,
                    RecordingRequest(
                        pushes: target.map { [$0] } ?? [], isRecorded: session.mode == .file),
                    startedBy: errand.peer, authority: "")
                recordings.accepted(session, at: host.clock.now())
                answer = errand.request?.result(session.acknowledgement)
            case .stop:
                try await host.streaming.stopRecording(
                    room: host.room.id, stoppedBy: errand.peer)
                answer = errand.request?.result()
            }
        } catch {
            switch errand.work {
            case .start(let session, _): recordings.refused(session)
            case .stop: recordings.end(by: nil)
            }
            host.log(.notice, "recording refused", errand.peer, ["reason": "\(error)"])
            answer = errand.request?.refusal(StanzaError(recording: error))
        }
        followRecordings(in: host)
        if let answer, place != nil { post(addressed(answer)) }
    }

    /// Shows what has changed of the room's recordings.
    func followRecordings(in host: isolated RoomHost) {
        let news = recordings.follow(host.room.streaming, at: host.clock.now()) { peer in
            nicks[peer] ?? guests[peer]?.nick
        }
        // Where no server is tried again, the recorder would go on for nobody.
        for session in news where session.mode == .stream && session.failure != nil {
            guard let member = session.initiator.flatMap({ members[$0] }) else { continue }
            begin(RecordingErrand(request: nil, peer: member.peer, work: .stop), in: host)
        }
        guard let place else { return }
        for session in news { post(place.showing(session)) }
    }
}

/// The recorders that are in the XMPP room, for clients that know by them whether they are recorded.
extension JitsiSessions {
    /// Called when the focus has been seen there: before, nobody may come in.
    func showRecorders() {
        guard let place, let domain = place.recorders else { return }
        let (came, gone) = recordings.recordersChanged()
        for session in gone { post(place.leaving(recorder: session, in: domain)) }
        for session in came { post(place.entering(recorder: session, in: domain)) }
    }
}

extension RoomHost {
    /// Whether a peer may start or stop such recordings, and now.
    fileprivate func checkRecording(
        _ modes: [RecordingMode], by peer: PeerID
    ) throws(StanzaError) {
        let permissions = modes.map { $0 == .file ? Permission.browserRecording : .rtmpStreaming }
        do throws(RoomError) {
            try room.fanOutRequested(permissions, by: peer, at: clock.now())
        } catch {
            throw error.kind == .tooFrequent
                ? StanzaError("resource-constraint", .wait, text: error.message)
                : StanzaError("not-allowed", .cancel, text: error.message)
        }
    }
}

extension StanzaError {
    /// Jitsi's clients have words for what Jicofo answers.
    fileprivate init(recording error: any Error) {
        guard let failure = (error as? LiveStreamingError)?.failure else {
            self.init("internal-server-error", .cancel)
            return
        }
        let text = failure.message
        switch failure.cause {
        case .invalid: self.init("bad-request", .modify, text: text)
        case .forbidden: self.init("not-allowed", .cancel, text: text)
        case .unknown: self.init("item-not-found", .cancel, text: text)
        case .conflict: self.init("unexpected-request", .wait, text: text)
        case .tooFrequent, .unavailable, .storageFull:
            self.init("resource-constraint", .wait, text: text)
        case .notEncoded, .sourceBroken, .stoodStill, .broken:
            self.init("internal-server-error", .cancel, text: text)
        }
    }
}
