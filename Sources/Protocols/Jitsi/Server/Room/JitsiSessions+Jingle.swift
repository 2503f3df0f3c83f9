internal import Logging
internal import MediaKernel
internal import MediaServer
internal import RoomHost
internal import Rooms
internal import SDP
internal import XML
internal import XMPP

/// The sessions with members: each is a connection of its peer.
extension JitsiSessions {
    // MARK: Inviting

    /// A member is invited: it joins the room, if it has not, and is offered a connection.
    func invite(_ nick: String, _ features: ClientFeatures, in host: isolated RoomHost) async {
        guard var member = members[nick], member.session == nil,
            member.sessionsMade < FocusLimits.sessions
        else { return }
        member.features = features
        member.sessionsMade += 1
        members[nick] = member
        nicks[member.peer] = nick
        showAll(in: host)
        let key = ConnectionKey.named("jitsi-\(member.sessionsMade)")
        let offer: SessionDescription
        do throws(RoomHostError) {
            offer = try await connect(member, on: key, in: host)
        } catch {
            host.log(.notice, "member refused", member.peer, ["reason": "\(error)"])
            return refuse(member, "\(error)", in: host)
        }
        // It may have left meanwhile.
        guard members[nick]?.peer == member.peer, let place else {
            return host.room.left(member.peer)
        }
        let id = Hexadecimal.identifier()
        let order = JingleOrder(
            session: id, initiator: place.focus, isJSON: features.readsJSON)
        let plan = LegPlan(offer)
        members[nick]?.hasJoined = true
        members[nick]?.session = FocusMember.Session(
            id: id, key: key, order: order, plan: plan,
            deadline: host.clock.now() + FocusLimits.acceptance)
        if !member.hasJoined {
            host.log(.info, "peer joined by Jitsi", member.peer, ["nick": "\(nick)"])
            if member.isModerator { grant(member, in: host) } else { elect(in: host) }
            ModerationDesk(sessions: self).tellAll(to: nick, in: host)
        }
        let address = channels.add(nick, in: "\(host.room.id)", at: host.clock.now())
        let contents = plan.contents(for: features, socket: settings.bridge.map(address.url))
        ask(
            .set, order.initiate(contents, bridgeSession: id), to: place.occupant(nick),
            .invitation(nick, session: id), in: host)
        await host.releaseHeld(for: member.peer)
    }

    private func connect(
        _ member: FocusMember, on key: ConnectionKey, in host: isolated RoomHost
    ) async throws(RoomHostError) -> SessionDescription {
        guard !member.hasJoined else {
            return try await host.makeOffer(LegPlan.sections, on: key, to: member.peer).offer
        }
        let request = JoinRequest(
            peer: member.peer, userID: member.nick,
            role: member.isModerator ? settings.firstRole : settings.role,
            name: Self.cut(member.name))
        let entry = RoomHost.Entry(request, .toOffer(LegPlan.sections), connection: key)
        guard let offer = try await host.join(entry) else { throw .noMedia }
        return offer
    }

    private func refuse(_ member: FocusMember, _ reason: String, in host: isolated RoomHost) {
        nicks[member.peer] = nil
        if member.hasJoined { host.room.left(member.peer) }
        // Another one may have its nick by now.
        guard let place, members[member.nick]?.peer == member.peer else { return }
        members[member.nick] = nil
        ask(
            .set, FocusPlace.kicking(member.nick, reason: reason), to: place.room.description,
            .other, in: host)
    }

    // MARK: Requests

    /// What a member says in its session.
    ///
    /// - Returns: the answer; nil if it had to go before what follows from it.
    func answer(
        _ jingle: Request, from nick: String, in host: isolated RoomHost
    ) async -> XMLElement? {
        let request: JingleRequest
        do throws(JitsiFault) {
            request = try JingleRequest(jingle.payload, from: nick)
        } catch {
            return JingleRefusal.malformed(error).answer(to: jingle)
        }
        guard let session = members[nick]?.session, session.id == request.session else {
            return JingleRefusal.unknownSession.answer(to: jingle)
        }
        do throws(StanzaError) {
            switch request.action {
            case .sessionAccept: try await accept(request, from: nick, in: host)
            case .sourceAdd:
                let known = members[nick]?.sources ?? []
                let names = Set(known.map(\.name))
                guard request.sources.allSatisfy({ !names.contains($0.name) }) else {
                    throw StanzaError("bad-request", .modify, text: "the source is there already")
                }
                try await publish(known + request.sources, from: nick, in: host)
            case .sourceRemove:
                let gone = Set(request.sources.map(\.name))
                let kept = (members[nick]?.sources ?? []).filter { !gone.contains($0.name) }
                try await publish(kept, from: nick, in: host)
            case .transportInfo:
                // The media's end of ICE is lite: it answers checks, wherever they come from.
                break
            case .sessionInfo:
                let bridge = jingle.payload.child("bridge-session", JitsiNamespaces.focus)
                guard bridge?["ice-restart"] == nil else {
                    throw StanzaError("feature-not-implemented", .cancel)
                }
            case .sessionTerminate:
                endSession(of: nick, in: host)
                if request.restarts, let features = members[nick]?.features {
                    post(addressed(jingle.result()))
                    await invite(nick, features, in: host)
                    return nil
                }
            case nil: return JingleRefusal.unsupported.answer(to: jingle)
            }
        } catch {
            return jingle.refusal(error)
        }
        return jingle.result()
    }

    private func accept(
        _ request: JingleRequest, from nick: String, in host: isolated RoomHost
    ) async throws(StanzaError) {
        guard let member = members[nick], var session = member.session, !session.isActive else {
            throw StanzaError("unexpected-request", .wait)
        }
        let answer: SessionDescription
        do throws(JitsiFault) {
            answer = try session.plan.accept(
                request.contents, preferring: member.shown.codecs)
        } catch {
            throw StanzaError("bad-request", .modify, text: "\(error)")
        }
        do throws(RoomHostError) {
            try await host.answer(answer, on: session.key, from: member.peer)
        } catch {
            throw StanzaError("not-acceptable", .modify, text: "\(error)")
        }
        guard members[nick]?.session?.id == session.id else {
            throw StanzaError("item-not-found", .cancel)
        }
        members[nick]?.session?.plan = session.plan
        members[nick]?.session?.deadline = nil
        members[nick]?.sources = []
        if !request.sources.isEmpty {
            try await publish(request.sources, from: nick, in: host)
        }
        await tellSources(to: nick, in: host)
    }

    /// The member sends exactly these sources from now on.
    private func publish(
        _ sources: [SentSource], from nick: String, in host: isolated RoomHost
    ) async throws(StanzaError) {
        guard let member = members[nick], var session = member.session, session.isActive else {
            throw StanzaError("unexpected-request", .wait)
        }
        let ssrcs = sources.flatMap(\.ssrcs)
        guard sources.count <= host.room.limits.tracksPerPeer, Set(ssrcs).count == ssrcs.count
        else { throw StanzaError("bad-request", .modify, text: "too many sources, or one twice") }
        do throws(RoomHostError) {
            try host.checkOffering(by: member.peer)
            let offer = session.plan.offer(sources)
            _ = try await host.offer(offer, on: session.key, from: member.peer)
        } catch {
            throw StanzaError("resource-constraint", .wait, text: "\(error)")
        }
        guard members[nick]?.session?.id == session.id else { return }
        members[nick]?.session?.plan = session.plan
        members[nick]?.sources = sources
        _ = try? host.room.tracksPublished(
            members[nick]?.tracks ?? [], by: member.peer, wall: host.clock.wall())
    }

    // MARK: The end

    /// Ends the session in order.
    func terminate(_ nick: String, _ reason: JingleReason, in host: isolated RoomHost) {
        guard let place, let session = members[nick]?.session else { return }
        ask(
            .set, session.order.terminate(reason), to: place.occupant(nick), .other, in: host)
        endSession(of: nick, in: host)
    }

    /// The session is over: so is its connection, and what was sent by it.
    func endSession(of nick: String, in host: isolated RoomHost) {
        guard let member = members[nick], let session = member.session else { return }
        channels.remove(nick)
        members[nick]?.session = nil
        members[nick]?.sources = []
        _ = try? host.room.tracksPublished([], by: member.peer, wall: host.clock.wall())
        host.closeConnection(session.key, of: member.peer)
    }

    // MARK: What it receives

    /// Tells a member which sources it has from now on.
    func tellSources(to nick: String, in host: isolated RoomHost) async {
        guard let place, let session = members[nick]?.session, session.isActive else { return }
        var told: [TrackID: ToldSource] = [:]
        for track in session.sent {
            told[track.id] = source(of: track, in: host).map { ToldSource(source: $0) }
        }
        let gone = session.told.filter { told[$0.key] != $0.value }
        let came = told.filter { session.told[$0.key] != $0.value }
        members[nick]?.session?.told = told
        for id in gone.keys where told[id] == nil { members[nick]?.session?.layers[id] = nil }
        let to = place.occupant(nick)
        if !gone.isEmpty {
            ask(.set, session.order.remove(Self.sorted(gone)), to: to, .other, in: host)
        }
        if !came.isEmpty {
            ask(.set, session.order.add(Self.sorted(came)), to: to, .other, in: host)
        }
        await applyWishes(of: nick, in: host)
    }

    private static func sorted(_ sources: [TrackID: ToldSource]) -> [ToldSource] {
        sources.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Nil for a track that has ended meanwhile: news of that are on their way.
    private func source(
        of sent: SentTrack, in host: isolated RoomHost
    ) -> ConferenceSource? {
        guard let publisher = host.room.peers[sent.publisher],
            let track = publisher.tracks.first(where: { $0.id == sent.id })
        else { return nil }
        let name =
            nicks[publisher.id].map { SourceName(track.publishedID.rawValue, owner: $0) }
            ?? guests[publisher.id]?.names[track.id]
        return name.map {
            ConferenceSource(
                name: $0, ssrc: sent.ssrc, repairSSRC: sent.repairSSRC,
                isScreen: track.isPresentation)
        }
    }
}
