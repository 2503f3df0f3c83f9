internal import Logging
internal import MediaKernel
internal import MediaServer
internal import PeerConnection
internal import RoomHost
internal import Rooms
internal import SDP

/// The peers of one room that joined by WHIP or WHEP. Other modules use it through ``WHIPRoom``.
///
/// The client receives no messages from the room, so a request to mute it mutes its tracks in the
/// server.
final class WHIPSessions: RoomSessions {
    /// The description for a client that has been admitted: our answer, or our own offer.
    typealias Welcome = (session: WHIPSession, description: SessionDescription)

    private var sessions: [PeerID: WHIPSession] = [:]

    // MARK: - Requests

    func publish(
        _ offer: SessionDescription, by client: WHIPCaller, in host: isolated RoomHost
    ) async throws(WHIPError) -> Welcome {
        let peer = PeerID(Hexadecimal.identifier())
        var offer = offer
        offer.narrow(toSending: true)
        let tracks = try Self.nameTracks(in: &offer, of: peer, source: client.source)
        try checkPublishing(tracks, by: client, in: host)
        let request = JoinRequest(
            peer: peer, userID: client.userID, tokenID: client.tokenID, role: client.role,
            name: client.name.isEmpty ? client.userID : client.name)
        removeLost(before: request, in: host)
        let entry = RoomHost.Entry(
            request, .offered(offer), connection: WHIPSession.connection, mutesItself: false)
        let answer = try await join(entry, offer, in: host)
        sessions[peer]?.tracks = tracks
        do throws(RoomError) {
            try host.room.tracksPublished(tracks, by: peer, wall: host.clock.wall())
        } catch {
            await leave(peer, in: host)
            throw .room(error)
        }
        return try await welcome(answer, peer, in: host)
    }

    /// A publisher that comes again, as OBS does by itself, takes the place of its lost connection:
    /// others would see both for a while, and the room may be full.
    private func removeLost(before request: JoinRequest, in host: isolated RoomHost) {
        for session in sessions.values where session.isLost {
            guard let peer = host.room.peers[session.peer], !peer.tracks.isEmpty,
                peer.userID == request.userID, peer.name == request.name
            else { continue }
            sessions[peer.id] = nil
            host.room.left(peer.id)
        }
    }

    /// - Parameter offer: nil for a client that waits for the server's offer.
    func play(
        _ offer: SessionDescription?, by client: WHIPCaller, view: RoomView,
        in host: isolated RoomHost
    ) async throws(WHIPError) -> Welcome {
        try checkPlaying(view, by: client, in: host)
        var offer = offer
        offer?.narrow(toSending: false)
        let request = JoinRequest(
            peer: PeerID(Hexadecimal.identifier()), userID: client.userID,
            tokenID: client.tokenID, role: client.role, name: client.name, isHidden: true)
        let entry = RoomHost.Entry(
            request, offer.map { .offered($0) } ?? .toOffer([.audio, .video]),
            connection: WHIPSession.connection, view: view)
        let description = try await join(entry, offer, in: host)
        return try await welcome(description, request.peer, in: host)
    }

    /// Whether an offer asks for media in a format that the server can send.
    static func canBePlayed(_ offer: SessionDescription) -> Bool {
        offer.media.contains { section in
            section.direction.receives && section.kind.trackKind != nil && !section.isRejected
                && offer.obstacle(in: section) == nil
        }
    }

    private func join(
        _ entry: RoomHost.Entry, _ offer: SessionDescription?, in host: isolated RoomHost
    ) async throws(WHIPError) -> SessionDescription {
        let description: SessionDescription
        do throws(RoomHostError) {
            guard let given = try await host.join(entry) else { throw RoomHostError.noMedia }
            description = given
        } catch {
            throw WHIPError(error)
        }
        let peer = entry.request.peer
        sessions[peer] = WHIPSession(
            id: Hexadecimal.identifier(), peer: peer, offer: offer, ours: description,
            at: host.clock.now())
        return description
    }

    private func welcome(
        _ description: SessionDescription, _ peer: PeerID, in host: isolated RoomHost
    ) async throws(WHIPError) -> Welcome {
        await host.releaseHeld(for: peer)
        await host.settle()
        // A peer that was removed meanwhile needs no answer.
        guard let session = sessions[peer] else { throw .unknownSession }
        host.log(.info, "peer joined by WHIP or WHEP", peer)
        return (session, description)
    }

    /// The client's answer to our own offer. draft-ietf-wish-whep-03 sect. 4.3.
    ///
    /// ``admitAnswer(_:in:)`` comes first.
    func answer(
        _ id: String, with answer: SessionDescription, in host: isolated RoomHost
    ) async throws(WHIPError) {
        let peer = try peer(ofSession: id)
        do throws(RoomHostError) {
            try await host.answer(answer, on: WHIPSession.connection, from: peer)
        } catch {
            throw WHIPError(error)
        }
        // The peer may have been removed meanwhile.
        guard sessions[peer] != nil else { throw .unknownSession }
        sessions[peer]?.description = answer
        if sessions[peer]?.givenUpAt != nil {
            sessions[peer]?.givenUpAt = host.clock.now() + WHIPSession.connectingMaximum
        }
    }

    /// Checks that a session waits for an answer and may send one now, before the text is read.
    func admitAnswer(_ id: String, in host: isolated RoomHost) throws(WHIPError) {
        let peer = try peer(ofSession: id)
        guard sessions[peer]?.requests.take(at: host.clock.now()) == true else {
            throw .tooManyRequests
        }
        guard sessions[peer]?.description == nil else {
            throw .badDescription("the session has an answer already")
        }
    }

    func patch(
        _ id: String, with text: String, ifMatch condition: String?, in host: isolated RoomHost
    ) async throws(WHIPError) -> WHIPAnswer? {
        let peer = try peer(ofSession: id)
        guard sessions[peer]?.requests.take(at: host.clock.now()) == true else {
            throw .tooManyRequests
        }
        guard let condition else { throw .preconditionRequired }
        guard let session = sessions[peer], session.matches(condition) else {
            throw .preconditionFailed
        }
        let fragment = try TrickleFragment(parsing: text)
        if let offer = session.description, fragment.restarts(offer) {
            return try await restart(session, offer, with: fragment, in: host)
        }
        for candidate in fragment.candidates {
            do throws(RoomHostError) {
                try await host.trickle(candidate, on: WHIPSession.connection, from: peer)
            } catch {
                // Unusable candidates (mDNS names, other transports) are not an error. RFC 9725
                // sect. 4.3.2.
                guard case .media = error else { throw WHIPError(error) }
            }
        }
        return nil
    }

    private func restart(
        _ session: WHIPSession, _ description: SessionDescription,
        with fragment: TrickleFragment, in host: isolated RoomHost
    ) async throws(WHIPError) -> WHIPAnswer? {
        let offer = fragment.applied(to: description)
        let answer: SessionDescription
        do throws(RoomHostError) {
            answer = try await host.offer(
                offer, on: WHIPSession.connection, from: session.peer
            ).answer
        } catch {
            throw WHIPError(error)
        }
        let tag = WHIPSession.entityTag(of: answer)
        sessions[session.peer]?.description = offer
        sessions[session.peer]?.entityTag = tag
        guard let body = TrickleFragment.rendered(of: answer) else {
            throw .badDescription("there is nothing to restart")
        }
        return WHIPAnswer(session: session.id, entityTag: tag, body: body, peer: session.peer)
    }

    func end(_ id: String, in host: isolated RoomHost) async throws(WHIPError) {
        await leave(try peer(ofSession: id), in: host)
    }

    private func peer(ofSession id: String) throws(WHIPError) -> PeerID {
        guard let session = sessions.values.first(where: { $0.id == id }) else {
            throw .unknownSession
        }
        return session.peer
    }

    private func leave(_ peer: PeerID, in host: isolated RoomHost) async {
        sessions[peer] = nil
        host.room.left(peer)
        await host.settle()
    }

    // MARK: - Checks

    /// The tracks of an offer: one for each section that sends. A track without a usable name, or
    /// with the name of another one, gets a new name, in the offer too. If one section cannot be
    /// received, the whole offer is refused. RFC 9725 sect. 4.4.3.
    private static func nameTracks(
        in offer: inout SessionDescription, of peer: PeerID, source: String
    ) throws(WHIPError) -> [Track] {
        var tracks: [Track] = []
        for index in offer.media.indices {
            let section = offer.media[index]
            guard section.direction.sends, !section.isRejected, let kind = section.kind.trackKind
            else { continue }
            if let obstacle = offer.obstacle(in: section) { throw .badDescription(obstacle) }
            let msid = section.rtp.msids.first ?? section.rtp.sources.lazy.compactMap(\.msid).first
            let isTaken = tracks.contains { $0.publishedID.rawValue == msid?.track }
            let id = isTaken ? nil : msid?.track.identifier
            let track = Track(
                id: TrackID(id ?? "\(peer)-\(index)"),
                streamID: msid?.stream.identifier ?? peer.rawValue, kind: kind,
                source: kind == .video && !source.isEmpty ? source : "regular")
            offer.media[index].rtp.msids = [
                MediaStreamIdentifier(stream: track.streamID, track: track.publishedID.rawValue)
            ]
            tracks.append(track)
        }
        guard !tracks.isEmpty else {
            throw .badDescription("the offer has no audio and no video that is sent")
        }
        return tracks
    }

    /// Whether the room accepts every track.
    private func checkPublishing(
        _ tracks: [Track], by client: WHIPCaller, in host: isolated RoomHost
    ) throws(WHIPError) {
        guard let role = host.room.policy.role(client.role) else {
            throw .room(.unknownRole(client.role))
        }
        let allowed = role.isHidden ? [] : role.publishParams.allowed
        do throws(RoomError) {
            for track in tracks { try track.check() }
        } catch {
            throw .room(error)
        }
        for track in tracks where !allowed.contains(track.publishKind) {
            throw .forbidden(
                host.room.policy.refusal(of: track.publishKind, by: role.name).message)
        }
        guard tracks.count <= host.room.limits.tracksPerPeer else {
            throw .room(
                .tooManyTracks(count: tracks.count, maximum: host.room.limits.tracksPerPeer))
        }
    }

    private func checkPlaying(
        _ view: RoomView, by client: WHIPCaller, in host: isolated RoomHost
    ) throws(WHIPError) {
        guard let role = host.room.policy.role(client.role) else {
            throw .room(.unknownRole(client.role))
        }
        let heard = role.subscribeParams.subscribeToRoles
        guard !heard.isEmpty else {
            throw .forbidden("role '\(role.name)' receives nothing")
        }
        if case .peer(let id) = view {
            guard let peer = try? host.room.peers.visiblePeer(id) else { throw .unknownPeer(id) }
            guard heard.contains(peer.role) else {
                throw .forbidden("role '\(role.name)' does not receive role '\(peer.role)'")
            }
        }
        let speaker = host.speaker
        let isThere = host.room.peers.publishers.contains { publisher in
            heard.contains(publisher.role)
                && publisher.tracks.contains {
                    view.includes($0, of: publisher, speaker: speaker)
                }
        }
        guard isThere else { throw .nothingToPlay }
    }

    // MARK: - RoomSessions

    func tell(_ peers: [PeerID], _ event: RoomEvent, in host: isolated RoomHost) {
        switch event {
        case .trackMuteRequested(let track, let isMuted, _):
            for peer in peers where sessions[peer] != nil {
                mute(isMuted, of: peer, in: host) { $0.id == track.id }
            }
        case .mutesRequested(let request, _):
            for peer in peers where sessions[peer] != nil {
                mute(request.isMuted, of: peer, in: host) { request.includes($0) }
            }
        case .policyChanged:
            for peer in peers { publishAgain(peer, in: host) }
        default:
            break
        }
    }

    /// The new role may permit what the last one did not; the client has sent it all along. A track
    /// that is published keeps its state.
    private func publishAgain(_ peer: PeerID, in host: isolated RoomHost) {
        guard let sent = sessions[peer]?.tracks, !sent.isEmpty else { return }
        let tracks = sent.map { host.room.peers[peer]?.track(published: $0.publishedID) ?? $0 }
        // The room leaves out what the role does not permit.
        _ = try? host.room.tracksPublished(tracks, by: peer, wall: host.clock.wall())
    }

    /// The client cannot mute itself, so the room does it.
    private func mute(
        _ isMuted: Bool, of peer: PeerID, in host: isolated RoomHost, where isMeant: (Track) -> Bool
    ) {
        let tracks = host.room.peers[peer]?.tracks.filter(isMeant) ?? []
        let change = TrackChange(isMuted: isMuted)
        let changes = Dictionary(tracks.map { ($0.publishedID, change) }) { first, _ in first }
        // The room refuses only tracks that the peer does not publish.
        try? host.room.tracksUpdated(changes, by: peer, at: host.clock.now())
        sessions[peer]?.note(isMuted, of: Set(changes.keys))
        host.mutesChanged(of: peer)
    }

    func dismiss(_ peers: [Peer], _ dismissal: Dismissal, in host: isolated RoomHost) {
        for peer in peers { sessions[peer.id] = nil }
    }

    func forget(_ peer: PeerID) { sessions[peer] = nil }

    func received(_ event: MediaEvent, in host: isolated RoomHost) async {
        guard case .connection(let peer, WHIPSession.connection, let state) = event,
            sessions[peer] != nil
        else { return }
        switch state {
        case .connected:
            sessions[peer]?.givenUpAt = nil
            sessions[peer]?.hasConnected = true
        case .disconnected, .failed:
            guard sessions[peer]?.givenUpAt == nil else { break }
            sessions[peer]?.givenUpAt = host.clock.now() + WHIPSession.unreachableMaximum
        case .closed: await leave(peer, in: host)
        case .new, .connecting: break
        }
    }

    func handleTimeout(at now: Instant, in host: isolated RoomHost) {
        let gone = sessions.values.filter { $0.givenUpAt.map { $0 <= now } ?? false }
        for session in gone {
            host.log(.info, "WHIP client cannot be reached", session.peer)
            sessions[session.peer] = nil
            host.room.left(session.peer)
        }
    }

    func closeAll(reason: String, in host: isolated RoomHost) { sessions = [:] }

    func isConnected(_ peer: PeerID) -> Bool { sessions[peer] != nil }

    var isEmpty: Bool { sessions.isEmpty }
}

extension MediaSection.Kind {
    fileprivate var trackKind: TrackKind? {
        switch self {
        case .audio: .audio
        case .video: .video
        case .application, .other: nil
        }
    }
}

extension String {
    /// The string itself if it is a valid name of a track or a stream. A hyphen stands for no
    /// stream (RFC 9429 sect. 5.2.1).
    fileprivate var identifier: String? {
        guard (1...RoomLimits.identifierBytes).contains(utf8.count), self != "-" else { return nil }
        return utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? self : nil
    }
}
