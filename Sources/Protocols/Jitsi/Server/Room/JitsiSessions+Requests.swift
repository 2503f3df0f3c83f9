internal import Jibri
internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms
internal import XML
internal import XMPP

/// What members ask of the focus, say and are told.
extension JitsiSessions {
    /// An answer comes from whom was asked.
    func addressed(_ answer: XMLElement) -> XMLElement {
        var answer = answer
        answer["from"] = place?.focus
        return answer
    }

    /// - Parameter to: which of our addresses is asked.
    func answer(_ request: Request, to: String, in host: isolated RoomHost) async {
        guard let place, let nick = request.from?.resource else { return }
        var answer: XMLElement?
        if to != place.focus {
            // Guests take no calls.
            answer = request.refusal(StanzaError("service-unavailable", .cancel))
        } else if members[nick] == nil {
            answer = request.refusal(StanzaError("forbidden", .auth))
        } else if members[nick]?.allowance.take(at: host.clock.now()) == false {
            answer = request.refusal(StanzaError("resource-constraint", .wait))
        } else {
            answer = await self.answer(request, of: nick, in: host)
        }
        answer?["from"] = to
        if let answer { post(answer) }
    }

    private func answer(
        _ request: Request, of nick: String, in host: isolated RoomHost
    ) async -> XMLElement? {
        let payload = request.payload
        if payload.isNamed("jingle", JitsiNamespaces.jingle), request.kind == .set {
            return await answer(request, from: nick, in: host)
        }
        if payload.isNamed("ping", Namespaces.ping) { return request.result() }
        if payload.isNamed("jibri", JibriRequest.namespace), request.kind == .set {
            return answer(recording: request, from: nick, in: host)
        }
        if payload.name == "mute", request.kind == .set,
            let media = MutedMedia.allCases.first(where: { $0.namespace == payload.namespace })
        {
            do throws(StanzaError) {
                try mute(media, payload, by: nick, in: host)
                return request.result()
            } catch {
                return request.refusal(error)
            }
        }
        return request.refusal(StanzaError("service-unavailable", .cancel))
    }

    private func mute(
        _ media: MutedMedia, _ payload: XMLElement, by nick: String, in host: isolated RoomHost
    ) throws(StanzaError) {
        let target = payload["jid"].flatMap { JID($0) }?.resource ?? ""
        guard let asker = members[nick], asker.hasJoined,
            let peer = members[target]?.peer ?? guests.peer(target)
        else { throw StanzaError("item-not-found", .cancel) }
        let isMuted = payload.text != "false"
        guard target != nick else {
            // A client says so of itself when it unmutes. It shows it in its presence as well.
            let isHeld = host.room.peers[peer].map { host.room.peers.isHeld(media.kind, of: $0) }
            guard isMuted || isHeld == false else {
                throw StanzaError("not-allowed", .cancel, text: "unmuting is moderated")
            }
            return
        }
        let request = MuteRequest(
            isMuted: isMuted, kind: media == .audio ? .audio : .video,
            source: media == .audio ? nil : media == .desktop ? "screen" : "regular")
        do throws(RoomError) {
            try host.room.mutesRequested(request, of: peer, by: asker.peer, at: host.clock.now())
        } catch {
            throw StanzaError("not-allowed", .cancel, text: error.message)
        }
    }

    /// A client mutes by itself when the focus asks it to.
    func askToMute(
        _ track: Track, _ isMuted: Bool, _ peer: PeerID, by asker: PeerID,
        in host: isolated RoomHost
    ) {
        guard let place, let nick = nicks[peer] else { return }
        let media: MutedMedia =
            track.kind == .audio ? .audio : track.isPresentation ? .desktop : .video
        ask(
            .set,
            place.muting(media, isMuted, by: nicks[asker] ?? guests[asker]?.nick),
            to: place.occupant(nick), .other, in: host)
    }

    // MARK: Chat

    func heard(_ stanza: XMLElement, from: JID, in host: isolated RoomHost) {
        guard let place, let nick = from.resource else { return }
        // Every occupant gets what is said to all: the focus stands for our side.
        let isOfFocus = stanza["to"] == place.focus
        guard isOfFocus || stanza["type"] != "groupchat",
            let text = RoomText(stanza, of: place.room), text.isPrivate != isOfFocus, !text.isOld,
            case .chat(let words) = text.content
        else { return }
        let audience: Audience
        if text.isPrivate {
            let guest = stanza["to"].flatMap { JID($0) }?.local.flatMap { guests.peer($0) }
            guard let guest else { return }
            audience = .peer(guest)
        } else {
            audience = .everybody
        }
        guard let member = members[nick], member.hasJoined,
            members[nick]?.allowance.take(at: host.clock.now()) == true
        else { return }
        do throws(RoomError) {
            _ = try host.room.messageSent(
                by: member.peer, to: audience, type: "chat", body: OpaqueJSON(string: words),
                at: host.clock.now(), wall: host.clock.wall())
        } catch {
            host.log(.notice, "message refused", member.peer, ["reason": "\(error.message)"])
        }
    }

    /// A message of the room, for these of our members.
    func tell(_ message: Rooms.Message, to peers: [PeerID], at place: FocusPlace) {
        let sender = message.sender?.id
        // Members have each other's messages by the XMPP room, private ones too.
        guard message.type == "chat", sender.map({ nicks[$0] == nil }) ?? true,
            let words = try? JSONDocument(message.body.text, limits: .own).root
                .decode(String.self)
        else { return }
        let nick = sender.map { guests[$0]?.nick } ?? FocusPlace.nick
        guard let nick else { return }
        if message.audience == .everybody {
            guard !members.isEmpty else { return }
            return post(place.saying(words, from: nick))
        }
        for peer in peers {
            guard let target = nicks[peer] else { continue }
            post(place.saying(words, from: nick, to: target))
        }
    }
}
