internal import Logging
internal import MediaKernel
internal import Rooms

/// Joining, leaving, and the connections in between (`docs/PROTOCOL.md` sections 4 and 8).
extension RoomSignalling {
    func join(
        _ params: JoinParameters, id: RequestID?, on connection: Connection
    ) async throws(SignallingError) -> Reply {
        let (peer, claims) = (connection.peer, connection.claims)
        let isHere = room.peer(peer)?.hasJoined ?? false
        guard !isHere || connections[connection.id]?.hasJoined == false else {
            throw .room(.alreadyJoined(peer))
        }
        // A socket may have looked in for longer than its token lasts.
        guard !claims.isExpired(at: clock.wall()) else { throw .tokenExpired }
        if isHere {
            // Its earlier socket was lost before the answer came: the client knows of no join.
            log(.info, "peer begins anew", peer)
            room.left(peer)
            await settle()
        }
        // Nobody would ever let go of a peer whose socket went before it had a place.
        guard connections[connection.id] != nil, seats[peer] == nil else { throw .busy }
        if let offer = params.offer {
            try check(offer, is: .offer, field: "offer", maximum: SignallingLimits.sdpBytes)
        }
        let request = JoinRequest(
            peer: peer, userID: claims.userID, tokenID: claims.tokenID, role: claims.role,
            name: params.name ?? "", metadata: params.data ?? "")
        try ruled { () throws(RoomError) in try room.joinRequested(request, at: clock.now()) }
        connections[connection.id]?.parting = nil

        let asksForVideos = params.disableVidAutoSub ?? false
        guard let offer = params.offer else {
            try complete(connection)
            room.mediaLost(peer, at: clock.now())
            seats[peer] = .withoutMedia(asksForVideos: asksForVideos)
            return welcome(connection, EmptyResult(), id: id)
        }
        seats[peer] = .opening(connection.id)
        // Others may have made place.
        await settle()
        let answer: String
        do {
            answer = try await connect(
                connection, offer: offer.sdp, asksForVideos: asksForVideos)
            // Refused when the socket went or the room ended while the media plane was at work:
            // then the peer has lost its place.
            try complete(connection)
        } catch {
            await vacate(peer)
            throw error
        }
        seats[peer] = .open
        let reply = welcome(
            connection, AnswerResult(type: .answer, sdp: answer), id: id)
        await releaseHeld(for: peer)
        return reply
    }

    private func connect(
        _ connection: Connection, offer: String, asksForVideos: Bool
    ) async throws(SignallingError) -> String {
        do {
            try await media.addPeer(
                connection.peer, asksForVideos: asksForVideos,
                isRecorder: connection.claims.role == Policy.recorderRole)
        } catch {
            throw .mediaUnavailable("\(error)")
        }
        return try await publish(offer, from: connection.peer)
    }

    private func complete(_ connection: Connection) throws(SignallingError) {
        try ruled { () throws(RoomError) in
            try room.joinCompleted(connection.peer, wall: clock.wall())
        }
        connections[connection.id]?.hasJoined = true
        unheardDismissals.forget(connection.peer)
        log(
            .info, "peer joined", connection.peer,
            ["role": "\(connection.claims.role)", "user": "\(connection.claims.userID)"])
    }

    /// The answer first, then everything about the room: the web client waits for both in turn.
    private func welcome(
        _ connection: Connection, _ result: some Encodable, id: RequestID?
    ) -> Reply {
        if let id { reply(result, to: id, on: connection) }
        pushRoom(to: connection)
        return .sent
    }

    /// Takes down the media of a peer that will not be in the room.
    private func vacate(_ peer: PeerID) async {
        room.joinAbandoned(peer)
        held[peer] = nil
        seats[peer] = .closing
        await media.removePeer(peer)
        seats[peer] = nil
    }

    func leave(_ connection: Connection) -> Reply {
        let peer = connection.peer
        room.left(peer)
        // It has heard that the room is over.
        if connection.parting != nil { unheardDismissals.forget(peer) }
        close(connection, code: CloseCode.normal, reason: "left")
        return .sent
    }

    // MARK: - Publishing and subscribing

    func offer(
        _ params: OfferParameters, id: RequestID?, on connection: Connection
    ) async throws(SignallingError) -> Reply {
        let peer = connection.peer
        try check(
            params.desc, is: .offer, field: "desc", maximum: SignallingLimits.joinedSDPBytes)
        let firstAsksForVideos: Bool?
        switch seats[peer] {
        case .withoutMedia(let asksForVideos): firstAsksForVideos = asksForVideos
        case .open: firstAsksForVideos = nil
        case .opening, .closing, nil: throw .busy
        }
        let tracks = params.tracks.map { tracks in
            tracks.values.map(\.track).sorted { $0.id < $1.id }
        }
        try ruled { () throws(RoomError) in
            try room.offerReceived(from: peer, at: clock.now())
        }
        if let firstAsksForVideos {
            let answer = try await openMedia(
                params.desc.sdp, tracks, asksForVideos: firstAsksForVideos, on: connection)
            if let id { reply(AnswerResult(type: .answer, sdp: answer), to: id, on: connection) }
            orders.add(.subscriptions(peer))
            await releaseHeld(for: peer)
            return .sent
        }
        let answer = try await publish(params.desc.sdp, from: peer)
        try published(tracks, on: connection)
        return .result(AnswerResult(type: .answer, sdp: answer))
    }

    /// The first offer of a peer that joined without one, as native clients do whose role has
    /// nothing to publish or to receive: it has been given another role.
    private func openMedia(
        _ offer: String, _ tracks: [Track]?, asksForVideos: Bool, on connection: Connection
    ) async throws(SignallingError) -> String {
        let peer = connection.peer
        seats[peer] = .opening(connection.id)
        do throws(SignallingError) {
            let answer = try await connect(
                connection, offer: offer, asksForVideos: asksForVideos)
            // Who has left meanwhile has no seat, or a new one.
            guard seats[peer] == .opening(connection.id) else { throw SignallingError.busy }
            try published(tracks, on: connection)
            seats[peer] = .open
            return answer
        } catch {
            guard seats[peer] == .opening(connection.id) else { throw error }
            held[peer] = nil
            seats[peer] = .closing
            await media.removePeer(peer)
            seats[peer] =
                room.peer(peer)?.hasJoined ?? false
                ? .withoutMedia(asksForVideos: asksForVideos) : nil
            throw error
        }
    }

    private func publish(_ offer: String, from peer: PeerID) async throws(SignallingError) -> String
    {
        do {
            return try await media.publishOffer(offer, from: peer)
        } catch {
            throw .media("the offer was refused: \(error)")
        }
    }

    /// The offer has been answered, whatever the peer may not publish of it.
    private func published(
        _ tracks: [Track]?, on connection: Connection
    ) throws(SignallingError) {
        guard let tracks else { return }
        let leftOut = try ruled { () throws(RoomError) in
            try room.tracksPublished(tracks, by: connection.peer, wall: clock.wall())
        }
        for reason in leftOut { refuse(.room(reason), id: nil, isCall: false, on: connection) }
    }

    func answer(
        _ params: AnswerParameters, from peer: PeerID
    ) async throws(SignallingError) -> Reply {
        try requireMedia(of: peer)
        do {
            try await media.subscribeAnswer(params.desc.sdp, from: peer)
        } catch {
            throw .media("the answer was refused: \(error)")
        }
        return .empty
    }

    func trickle(
        _ params: TrickleParameters, from peer: PeerID
    ) async throws(SignallingError) -> Reply {
        try requireMedia(of: peer)
        let candidate = params.candidate
        let longest = max(candidate.candidate.utf8.count, candidate.sdpMid?.utf8.count ?? 0)
        guard longest <= SignallingLimits.candidateBytes else {
            throw .badParameter(
                "candidate",
                reason: "has \(longest) bytes; at most \(SignallingLimits.candidateBytes)")
        }
        do {
            try await media.trickle(
                candidate.candidate, target: params.target, from: peer)
        } catch {
            throw .media("the candidate was refused: \(error)")
        }
        return .empty
    }

    private func requireMedia(of peer: PeerID) throws(SignallingError) {
        guard seats[peer] == .open else {
            throw .media("the peer joined without an offer and so has no media")
        }
    }

    func check(
        _ description: DescriptionPayload, is kind: DescriptionPayload.Kind, field: String,
        maximum: Int
    ) throws(SignallingError) {
        guard description.type == kind else {
            throw .badParameter("\(field).type", reason: "must be '\(kind.rawValue)'")
        }
        let count = description.sdp.utf8.count
        guard count <= maximum else {
            throw .badParameter(
                "\(field).sdp", reason: "has \(count) bytes; at most \(maximum) are allowed")
        }
    }
}
