internal import Logging
internal import MediaKernel
internal import MediaServer
internal import RoomHost
internal import Rooms
internal import XML
internal import XMPP

/// Who is in the conference.
extension JitsiSessions {
    func saw(_ stanza: XMLElement, from: JID, in host: isolated RoomHost) {
        guard let place, let nick = from.resource else { return }
        // Each occupant is told of everybody: a guest's own presence is enough.
        let isOfFocus = stanza["to"] == place.focus
        guard isOfFocus || stanza["to"] == place.guest(nick), let presence = RoomPresence(stanza),
            presence.room == place.room
        else { return }
        if let guest = guests.peer(nick), place.isOurs(presence.address) {
            guard !isOfFocus else { return }
            return sawGuest(guest, presence, stanza, in: host)
        }
        guard isOfFocus else { return }
        if presence.nick == FocusPlace.nick { return sawFocus(presence, in: host) }
        guard !place.isOurs(presence.address) else { return }
        switch presence.change {
        case .present:
            let shown = Member(presence, stanza)
            if members[presence.nick] == nil {
                came(shown, at: place, in: host)
            } else {
                changed(shown, in: host)
            }
        case .left, .kicked, .destroyed, .renamed, .removed:
            went(presence.nick, in: host)
        case .refused:
            break
        }
    }

    private func sawFocus(_ presence: RoomPresence, in host: isolated RoomHost) {
        switch presence.change {
        case .present:
            // Everybody else has been shown before (XEP-0045 sect. 7.2.2).
            guard presence.isOwn else { return }
            for (nick, member) in members where !member.isSeen { went(nick, in: host) }
            showRecorders()
        case .left, .kicked, .destroyed, .renamed, .removed, .refused:
            host.logger.warning(
                "the focus is not in its room", metadata: ["change": "\(presence.change)"])
            close(reason: "the focus has left", in: host)
        }
    }

    // MARK: Members

    private func came(_ shown: Member, at place: FocusPlace, in host: isolated RoomHost) {
        let nick = shown.id
        guard members.count < FocusLimits.members, 1...FocusLimits.nickBytes ~= nick.utf8.count,
            nick.utf8.allSatisfy(\.isWord)
        else {
            host.logger.notice("member refused", metadata: ["members": "\(members.count)"])
            return ask(
                .set, FocusPlace.kicking(nick, reason: "the conference cannot take this member"),
                to: place.room.description, .other, in: host)
        }
        memberCame()
        members[nick] = FocusMember(
            nick: nick, address: shown.address,
            isModerator: shown.isModerator || !members.values.contains(where: \.isModerator),
            number: nextNumber(), shown: shown,
            allowance: TokenBucket(
                rate: FocusLimits.stanzasPerSecond, burst: FocusLimits.stanzasBurst,
                at: host.clock.now()))
        welcome(in: host)
    }

    /// Asks newcomers what they can do, those first who came first, as many as may come at once.
    func welcome(in host: isolated RoomHost) {
        guard let place else { return }
        while let next = members.values.filter({ !$0.isWelcomed })
            .min(by: { $0.number < $1.number }), welcomes.take(at: host.clock.now())
        {
            members[next.nick]?.isWelcomed = true
            ask(
                .get, FocusPlace.discovery, to: place.occupant(next.nick), .features(next.nick),
                in: host)
        }
    }

    private func changed(_ shown: Member, in host: isolated RoomHost) {
        let nick = shown.id
        members[nick]?.isSeen = true
        guard let before = members[nick],
            members[nick]?.allowance.take(at: host.clock.now()) == true
        else { return }
        members[nick]?.shown = shown
        ModerationDesk(sessions: self).follow(before, in: host)
        guard before.hasJoined, let member = members[nick] else { return }
        if before.name != member.name {
            try? host.room.peerUpdated(
                member.peer, name: Self.cut(member.name), metadata: nil, at: host.clock.now())
        }
        tracksChanged(from: before.tracks, of: member, in: host)
    }

    /// What the presence says of tracks that are published.
    private func tracksChanged(
        from before: [Track], of member: FocusMember, in host: isolated RoomHost
    ) {
        let tracks = member.tracks
        guard tracks != before else { return }
        if tracks.map(\.source) != before.map(\.source) {
            guard (try? host.checkOffering(by: member.peer)) != nil else { return }
            _ = try? host.room.tracksPublished(
                tracks, by: member.peer, wall: host.clock.wall())
        }
        let changes = Dictionary(
            tracks.map { ($0.publishedID, TrackChange(isMuted: $0.isMuted)) }
        ) { first, _ in first }
        try? host.room.tracksUpdated(changes, by: member.peer, at: host.clock.now())
    }

    private func went(_ nick: String, in host: isolated RoomHost) {
        speakers.removeAll { $0 == nick }
        channels.remove(nick)
        if let member = members.removeValue(forKey: nick) {
            nicks[member.peer] = nil
            host.room.left(member.peer)
        }
        // The room may have removed the moderator before.
        elect(in: host)
    }

    /// The oldest member becomes the moderator, if there is none.
    func elect(in host: isolated RoomHost) {
        guard !members.values.contains(where: \.isModerator),
            let member = members.values.filter({ $0.hasJoined && $0.isSeen })
                .min(by: { $0.number < $1.number }),
            (try? host.room.peerChanged(
                member.peer, name: nil, metadata: nil, role: settings.firstRole)) != nil
        else { return }
        members[member.nick]?.isModerator = true
        grant(member, in: host)
        ModerationDesk(sessions: self).tellAll(to: member.nick, in: host)
    }

    func grant(_ member: FocusMember, isModerator: Bool = true, in host: isolated RoomHost) {
        guard let place, let address = member.address else { return }
        ask(
            .set, FocusPlace.granting(address, isModerator: isModerator),
            to: place.room.description, .other, in: host)
    }

    static func cut(_ name: String) -> String {
        String(name.unicodeScalars.prefix(RoomLimits.nameScalars))
    }

    // MARK: Guests

    func show(_ peer: PeerID, in host: isolated RoomHost) {
        guard let place, nicks[peer] == nil, let shown = try? host.room.peers.visiblePeer(peer)
        else { return }
        switch guests.take(shown, isTaken: { members[$0] != nil }) {
        case .came(let guest): post(place.entering(guest))
        case .changed(let guest): post(place.showing(guest))
        case nil: break
        }
    }

    func hide(_ peer: PeerID) {
        guard let place, let guest = guests.remove(peer) else { return }
        speakers.removeAll { $0 == guest.nick }
        post(place.leaving(guest.nick))
    }

    func showAll(in host: isolated RoomHost) {
        for peer in host.room.peers.visible { show(peer.id, in: host) }
    }

    /// A moderator of the XMPP room may have put a guest out.
    private func sawGuest(
        _ peer: PeerID, _ presence: RoomPresence, _ stanza: XMLElement, in host: isolated RoomHost
    ) {
        guard case .kicked(let reason) = presence.change else { return }
        _ = guests.remove(peer)
        let actor = stanza.elements.lazy.flatMap(\.elements).flatMap(\.elements)
            .first { $0.name == "actor" }
        guard let asker = actor?["nick"].flatMap({ members[$0] }), asker.hasJoined,
            (try? host.room.removalRequested(
                of: peer, by: asker.peer,
                reason: String((reason ?? "").prefix(RoomLimits.descriptionBytes / 4)),
                at: host.clock.now())) != nil
        else {
            // The room does not allow it: the guest is still there.
            return show(peer, in: host)
        }
    }
}
