internal import HundredMSTerms
internal import Logging
internal import MediaKernel
internal import MediaServer
internal import RoomHost
internal import Rooms
internal import SDP

/// Joining, leaving, and the connections in between (`docs/PROTOCOL.md` sections 4 and 8).
extension HundredMSSessions {
    func join(
        _ params: JoinParameters, id: RequestID?, on connection: Connection,
        in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        let (peer, claims) = (connection.peer, connection.claims)
        let isHere = host.room.peers[peer]?.hasJoined ?? false
        guard !isHere || connections[connection.id]?.hasJoined == false else {
            throw .room(.alreadyJoined(peer))
        }
        // A socket may stay in preview for longer than its token is valid.
        guard !claims.isExpired(at: host.clock.wall()) else { throw .tokenExpired }
        if isHere {
            // Its earlier socket was lost before the answer arrived, so the client does not know it
            // has joined.
            host.log(.info, "peer begins anew", peer)
            host.room.left(peer)
            await host.settle()
        }
        var offer: SessionDescription?
        if let given = params.offer {
            try check(given, is: .offer, field: "offer", maximum: SignallingLimits.sdpBytes)
            do throws(RoomHostError) {
                offer = try await Self.description(in: given.sdp, "the offer")
            } catch {
                throw SignallingError(error)
            }
        }
        // A peer whose socket closed before it joined would never be removed.
        guard connections[connection.id] != nil else { throw .busy }
        connections[connection.id]?.parting = nil
        let request = JoinRequest(
            peer: peer, userID: claims.userID, tokenID: claims.tokenID, role: claims.role,
            name: params.name ?? "", metadata: params.data ?? "",
            kicksSiblings: params.kickSiblings ?? false)
        let answer: SessionDescription?
        do throws(RoomHostError) {
            answer = try await host.join(
                RoomHost.Entry(
                    request, offer.map { .offered($0) },
                    asksForVideos: params.disableVidAutoSub ?? false,
                    isRecorder: claims.role == HundredMSTerms.recorderRole, layerNames: .hundredMS))
        } catch {
            throw SignallingError(error)
        }
        members.insert(peer)
        connections[connection.id]?.hasJoined = true
        unheardDismissals.forget(peer)
        host.log(
            .info, "peer joined", peer, ["role": "\(claims.role)", "user": "\(claims.userID)"])
        // The answer first, then the room's state: the web client waits for both in this order.
        if let id {
            if let answer {
                reply(
                    AnswerResult(type: .answer, sdp: answer.rendered()), to: id, on: connection,
                    in: host)
            } else {
                reply(EmptyResult(), to: id, on: connection, in: host)
            }
        }
        pushRoom(to: connection, in: host)
        await host.releaseHeld(for: peer)
        return .sent
    }

    func leave(_ connection: Connection, in host: isolated RoomHost) -> Reply {
        let peer = connection.peer
        host.room.left(peer)
        // The peer has been notified that the room is over.
        if connection.parting != nil { unheardDismissals.forget(peer) }
        close(connection, code: CloseCode.normal, reason: "left", in: host)
        return .sent
    }

    // MARK: - Publishing and subscribing

    func offer(
        _ params: OfferParameters, id: RequestID?, on connection: Connection,
        in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        let peer = connection.peer
        try check(
            params.desc, is: .offer, field: "desc", maximum: SignallingLimits.joinedSDPBytes)
        let tracks = params.tracks.map { tracks in
            tracks.values.map(\.track).sorted { $0.id < $1.id }
        }
        let (answer, isFirst): (SessionDescription, Bool)
        do throws(RoomHostError) {
            try host.checkOffering(by: peer)
            let offer = try await Self.description(in: params.desc.sdp, "the offer")
            (answer, isFirst) = try await host.offer(offer, on: .publish, from: peer)
        } catch {
            throw SignallingError(error)
        }
        guard isFirst else {
            let result = AnswerResult(type: .answer, sdp: await Self.rendered(answer))
            try published(tracks, on: connection, in: host)
            return .result(result)
        }
        // No frame may come between the first answer and the frames held back for it.
        let result = AnswerResult(type: .answer, sdp: answer.rendered())
        try published(tracks, on: connection, in: host)
        if let id { reply(result, to: id, on: connection, in: host) }
        await host.releaseHeld(for: peer)
        return .sent
    }

    /// The offer has been answered, even if the peer may not publish some of its tracks.
    private func published(
        _ tracks: [Track]?, on connection: Connection, in host: isolated RoomHost
    ) throws(SignallingError) {
        guard let tracks else { return }
        let leftOut = try ruled { () throws(RoomError) in
            try host.room.tracksPublished(
                tracks, by: connection.peer, wall: host.clock.wall())
        }
        for reason in leftOut {
            refuse(.room(reason), id: nil, isCall: false, on: connection, in: host)
        }
    }

    func answer(
        _ params: AnswerParameters, from peer: PeerID, in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        do throws(RoomHostError) {
            try host.requireMedia(of: peer)
            let answer: SessionDescription
            do throws(RoomHostError) {
                answer = try await Self.description(in: params.desc.sdp, "the answer")
            } catch {
                await host.answerRefused(from: peer)
                throw error
            }
            try await host.answer(answer, from: peer)
        } catch {
            throw SignallingError(error)
        }
        return .empty
    }

    func trickle(
        _ params: TrickleParameters, from peer: PeerID, in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        let candidate = params.candidate
        let longest = max(candidate.candidate.utf8.count, candidate.sdpMid?.utf8.count ?? 0)
        guard longest <= SignallingLimits.candidateBytes else {
            throw .badParameter(
                "candidate", .tooLong(bytes: longest, maximum: SignallingLimits.candidateBytes))
        }
        do throws(RoomHostError) {
            try await host.trickle(
                candidate.candidate, on: params.target.connection, from: peer)
        } catch {
            throw SignallingError(error)
        }
        return .empty
    }

    /// See `description(in:_:)`.
    static func rendered(_ description: SessionDescription) async -> String {
        description.rendered()
    }

    // MARK: - Checks

    func check(
        _ description: DescriptionPayload, is kind: DescriptionPayload.Kind, field: String,
        maximum: Int
    ) throws(SignallingError) {
        guard description.type == kind else {
            throw .badParameter("\(field).type", .mustSay(kind.rawValue))
        }
        let count = description.sdp.utf8.count
        guard count <= maximum else {
            throw .badParameter(
                "\(field).sdp", .tooLong(bytes: count, maximum: maximum))
        }
    }

    /// Descriptions are parsed and rendered outside the room's isolation: in a large room they are
    /// long and many, and all peers would wait.
    ///
    /// - Parameter name: its name in an error, with the article.
    private static func description(
        in sdp: String, _ name: String
    ) async throws(RoomHostError) -> SessionDescription {
        do throws(SDPError) {
            return try SessionDescription.parse(sdp)
        } catch {
            throw .media("\(name) was refused: malformed session description: \(error)")
        }
    }
}

extension SignallingError {
    init(_ error: RoomHostError) {
        switch error {
        case .room(let error): self = .room(error)
        case .busy: self = .busy
        case .noMedia: self = .media("the peer joined without an offer and so has no media")
        case .media(let reason): self = .media(reason)
        case .mediaUnavailable(let reason): self = .mediaUnavailable(reason)
        }
    }
}
