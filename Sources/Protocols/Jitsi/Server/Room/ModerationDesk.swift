internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms
internal import XML
internal import XMPP

/// What moderators order of one conference: AV moderation, which is whether members may unmute, and
/// its end. Both are the room's, and hold for peers of all protocols.
struct ModerationDesk {
    let sessions: JitsiSessions

    /// A message to the component, from an address outside of the room.
    func heard(_ message: XMLElement, from: JID, in host: isolated RoomHost) {
        guard let nick = sessions.members.values.first(where: { $0.address == from })?.nick,
            sessions.members[nick]?.allowance.take(at: host.clock.now()) == true
        else { return }
        do throws(StanzaError) {
            if EndOrder.isOne(message) { return try end(by: nick, in: host) }
            guard let order = try ModerationOrder(message) else { return }
            try carryOut(order, by: nick, in: host)
        } catch {
            host.logger.notice(
                "moderation refused", metadata: ["nick": "\(nick)", "reason": "\(error)"])
            sessions.post(
                XMLElement(
                    "message", Namespaces.client,
                    [
                        "type": "error", "id": message["id"],
                        "from": sessions.settings.component, "to": "\(from)",
                    ], [error.element]))
        }
    }

    private func end(by nick: String, in host: isolated RoomHost) throws(StanzaError) {
        guard let asker = sessions.members[nick], asker.hasJoined else {
            throw StanzaError("forbidden", .auth)
        }
        do throws(RoomError) {
            try host.room.endRequested(
                by: asker.peer, lock: false, reason: EndOrder.reason, at: host.clock.now())
        } catch {
            throw Self.refusal(of: error)
        }
    }

    private func carryOut(
        _ order: ModerationOrder, by nick: String, in host: isolated RoomHost
    ) throws(StanzaError) {
        guard let place = sessions.place, let asker = sessions.members[nick], asker.hasJoined else {
            throw StanzaError("forbidden", .auth)
        }
        let kind = order.kind
        switch order.work {
        case .moderate(let isOn):
            let change: Moderation.Change = isOn ? .start(kind) : .stop(kind)
            guard try apply(change, by: asker, in: host) else { return }
            tell(.moderated(isOn, by: place.occupant(nick)), of: kind, to: joined, at: place)
            if isOn { tellAllowed(kind, to: joined, in: host) }
        case .allow(let isAllowed, let occupant):
            guard occupant.bare == place.room, let target = occupant.resource,
                let peer = sessions.members[target]?.peer ?? sessions.guests.peer(target)
            else { throw StanzaError("item-not-found", .cancel) }
            let change: Moderation.Change = isAllowed ? .allow(kind, peer) : .forbid(kind, peer)
            let isNews = try apply(change, by: asker, in: host)
            if isNews { tellAllowed(kind, to: joined, isLess: !isAllowed, in: host) }
            // Where nothing is moderated, it asks somebody to speak.
            guard isNews || isAllowed else { return }
            tell(.youMay(isAllowed), of: kind, to: joined.filter { $0.nick == target }, at: place)
        }
    }

    private func apply(
        _ change: Moderation.Change, by asker: FocusMember, in host: isolated RoomHost
    ) throws(StanzaError) -> Bool {
        do throws(RoomError) {
            return try host.room.moderationRequested(
                change, by: asker.peer, at: host.clock.now())
        } catch {
            throw Self.refusal(of: error)
        }
    }

    private static func refusal(of error: RoomError) -> StanzaError {
        switch error.kind {
        case .tooFrequent: StanzaError("resource-constraint", .wait, text: error.message)
        case .forbidden: StanzaError("not-allowed", .cancel, text: error.message)
        default: StanzaError("item-not-found", .cancel, text: error.message)
        }
    }

    /// Tells somebody who has come, or has become a moderator, what is moderated.
    func tellAll(to nick: String, in host: isolated RoomHost) {
        guard let place = sessions.place, let member = sessions.members[nick] else { return }
        for kind in PublishParameters.Kind.allCases {
            guard let floor = host.room.peers.moderation[kind] else { continue }
            let actor = place.occupant(sessions.nicks[floor.starter] ?? FocusPlace.nick)
            tell(.moderated(true, by: actor), of: kind, to: [member], at: place)
            tellAllowed(kind, to: [member], in: host)
        }
    }

    /// The XMPP room's moderators have their role here too: one of them may have made another.
    ///
    /// - Parameter before: as a member was until its presence has come.
    func follow(_ before: FocusMember, in host: isolated RoomHost) {
        let nick = before.nick
        guard let isModerator = sessions.members[nick]?.shown.isModerator,
            isModerator != before.shown.isModerator, isModerator != before.isModerator
        else { return }
        sessions.members[nick]?.isModerator = isModerator
        guard before.hasJoined else { return }
        let settings = sessions.settings
        do throws(RoomError) {
            _ = try host.room.peerChanged(
                before.peer, name: nil, metadata: nil,
                role: isModerator ? settings.firstRole : settings.role)
        } catch {
            return host.log(
                .notice, "moderator's role refused", before.peer, ["reason": "\(error.message)"])
        }
        if isModerator { tellAll(to: nick, in: host) }
        sessions.elect(in: host)
    }

    /// Whom the room gives the moderators' role, or another one, owns the XMPP room likewise: its
    /// client goes by that.
    func followRoles(of peers: [PeerID], in host: isolated RoomHost) {
        for member in peers.compactMap({ sessions.member($0) }) where member.hasJoined {
            guard let role = host.room.peers[member.peer]?.role else { continue }
            let isModerator = role == sessions.settings.firstRole
            guard isModerator != member.isModerator else { continue }
            sessions.members[member.nick]?.isModerator = isModerator
            sessions.grant(member, isModerator: isModerator, in: host)
            if isModerator { tellAll(to: member.nick, in: host) }
        }
    }

    private var joined: [FocusMember] { sessions.members.values.filter(\.hasJoined) }

    /// Only moderators know who is allowed.
    private func tellAllowed(
        _ kind: PublishParameters.Kind, to members: [FocusMember], isLess: Bool = false,
        in host: isolated RoomHost
    ) {
        guard let place = sessions.place, let floor = host.room.peers.moderation[kind] else {
            return
        }
        let occupants = floor.allowed
            .compactMap { sessions.nicks[$0] ?? sessions.guests[$0]?.nick }.sorted()
            .map(place.occupant)
        let moderators = members.filter { member in
            (try? host.room.peers.require(.mute, of: member.peer)) != nil
        }
        tell(.allowed(occupants, isLess: isLess), of: kind, to: moderators, at: place)
    }

    private func tell(
        _ news: ModerationWord.News, of kind: PublishParameters.Kind, to members: [FocusMember],
        at place: FocusPlace
    ) {
        let word = ModerationWord(room: place.room, kind: kind, news: news)
        for address in members.compactMap(\.address) {
            sessions.post(place.telling(word, to: address))
        }
    }
}
