internal import GroupCalls
internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms

/// Requests from clients. Those of joined peers that need nothing of a connection are in `Calls`.
extension HundredMSSessions {
    /// See ``HundredMSEntrance/received(_:on:)``.
    func received(_ text: String, on id: ConnectionID, in host: isolated RoomHost) async {
        guard let connection = connections[id] else { return }
        let hasJoined = host.room.peers[connection.peer]?.hasJoined ?? false
        let longest = hasJoined ? SignallingLimits.joinedFrameBytes : SignallingLimits.frameBytes
        guard text.utf8.count <= longest else {
            host.log(.notice, "frame too long", connection.peer)
            drop(connection, code: CloseCode.messageTooBig, reason: "frame too long", in: host)
            return await host.settle()
        }
        guard connections[id]?.allowance.take(text.utf8.count, at: host.clock.now()) ?? false else {
            refuse(.tooManyFrames, id: nil, isCall: false, on: connection, in: host)
            host.log(.notice, "too many frames", connection.peer)
            close(connection, code: CloseCode.policyViolation, reason: "too many frames", in: host)
            return await host.settle()
        }
        connections[id]?.lastHeard = host.clock.now()
        connections[id]?.hasSpoken = true
        let frame: IncomingFrame
        do {
            frame = try IncomingFrame(text, limits: .frame)
        } catch {
            return refuse(error, id: nil, isCall: true, on: connection, in: host)
        }
        let head = frame.head
        do throws(SignallingError) {
            guard let name = head.method else { throw SignallingError.malformed(.noMethod) }
            guard let method = ClientMethod(rawValue: name) else {
                throw SignallingError.unknownMethod(String(name.prefix(RoomLimits.wordBytes)))
            }
            guard text.utf8.count <= method.terms.longestFrame else {
                throw SignallingError.frameTooLong(
                    method: name, maximum: method.terms.longestFrame)
            }
            let reply = try await perform(method, frame, id: head.id, on: connection, in: host)
            if let call = head.id { answer(call, reply, on: connection, in: host) }
        } catch {
            let isCall = head.id != nil || head.method == nil
            refuse(error, id: head.id, isCall: isCall, on: connection, in: host)
            if case .placeLost = error { sendBack(connection, error, in: host) }
        }
        await host.settle()
    }

    /// After any other error, 100ms' clients repeat the offer for a minute; after this one they
    /// start over.
    private func sendBack(
        _ connection: Connection, _ error: SignallingError, in host: isolated RoomHost
    ) {
        let payload = error.payload(for: connection.claims.client)
        host.log(.info, "peer has to join again", connection.peer)
        push(.onError, payload, to: connection, in: host)
        close(
            connection, code: CloseCode.policyViolation, reason: "refused: \(payload.code)",
            in: host)
    }

    private func answer(
        _ call: RequestID, _ reply: Reply, on connection: Connection, in host: isolated RoomHost
    ) {
        switch reply {
        case .result(let result): self.reply(result, to: call, on: connection, in: host)
        case .rendered(let text): self.reply(rendered: text, to: call, on: connection, in: host)
        case .sent: break
        }
    }

    private func perform(
        _ method: ClientMethod, _ frame: IncomingFrame, id: RequestID?, on connection: Connection,
        in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        switch method {
        case .ping:
            return .result(PingPayload(timestamp: host.clock.wall().milliseconds))
        case .analytics:
            return .empty
        case .join:
            return try await join(try read(frame), id: id, on: connection, in: host)
        case .leave:
            return leave(connection, in: host)
        case .groupCall:
            return try await callGroup(try read(frame), on: connection, in: host)
        case .offer, .answer, .trickle, .trackUpdate, .broadcast, .endRoom, .peerLeaveRequest,
            .roleChangeRequest, .roleChange, .trackUpdateRequest, .changeTrackMuteStateRequest,
            .hlsStart, .hlsStop, .hlsTimedMetadata, .rtmpStart, .rtmpStop, .peerUpdate, .getPeer,
            .findPeer, .peerIterNext, .peerNameSearch, .groupJoin, .groupLeave, .groupAdd,
            .groupRemove, .setMetadata, .getMetadata, .listenMetadataChange, .pollInfoSet,
            .pollInfoGet, .pollQuestionsSet, .pollQuestionsGet, .pollStart, .pollStop,
            .pollResponse, .pollResponses, .pollList, .pollResult, .pollLeaderboard:
            guard host.room.peers[connection.peer]?.hasJoined ?? false else {
                // Only a peer that joined on an earlier socket may offer before its join.
                guard method != .offer else {
                    throw .placeLost(connection.peer, kept: host.room.limits.absence)
                }
                throw host.room.peers.hasLeft(connection.peer)
                    ? .room(.peerGone(connection.peer)) : .joinFirst(method: method.rawValue)
            }
            return try await performJoined(method, frame, id: id, on: connection, in: host)
        }
    }

    private func performJoined(
        _ method: ClientMethod, _ frame: IncomingFrame, id: RequestID?, on connection: Connection,
        in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        let peer = connection.peer
        try ruled { () throws(RoomError) in
            if let permission = method.terms.permission {
                try host.room.peers.require(permission, of: peer)
            }
            switch method.terms.rate {
            case .free: break
            case .read: try host.room.readAsked(by: peer, at: host.clock.now())
            case .fanOut: try host.room.peers.checkFanOut(of: peer, at: host.clock.now())
            }
        }
        let announcements = AnnouncementCalls(peer: peer)
        let moderation = ModerationCalls(peer: peer)
        let streaming = StreamingCalls(peer: peer, authority: connection.claims.authority)
        let peers = PeerCalls(peer: peer)
        let store = StoreCalls(peer: peer)
        let polls = PollCalls(peer: peer, client: connection.claims.client)
        switch method {
        case .join, .leave, .ping, .analytics, .groupCall: return .empty
        case .offer: return try await offer(try read(frame), id: id, on: connection, in: host)
        case .answer:
            return try await answer(
                try await readAnswer(frame, from: peer, in: host), from: peer, in: host)
        case .trickle: return try await trickle(try read(frame), from: peer, in: host)
        case .trackUpdate: return try announcements.updateTracks(try read(frame), in: host)
        case .broadcast: return try announcements.broadcast(try read(frame), in: host)
        case .peerUpdate: return try announcements.updatePeer(try read(frame), in: host)
        case .endRoom: return try moderation.endRoom(try read(frame), in: host)
        case .peerLeaveRequest: return try moderation.removePeer(try read(frame), in: host)
        case .roleChangeRequest: return try moderation.requestRoleChange(try read(frame), in: host)
        case .roleChange: return try moderation.acceptRole(try read(frame), in: host)
        case .trackUpdateRequest: return try moderation.requestMute(try read(frame), in: host)
        case .changeTrackMuteStateRequest:
            return try moderation.requestMutes(try read(frame), in: host)
        case .hlsStart: return try await streaming.startHLS(try read(frame), in: host)
        case .hlsStop: return try await streaming.stopHLS(try read(frame), in: host)
        case .hlsTimedMetadata:
            return try await streaming.addTimedMetadata(try read(frame), in: host)
        case .rtmpStart: return try await streaming.startRecording(try read(frame), in: host)
        case .rtmpStop: return try await streaming.stopRecording(in: host)
        case .getPeer: return try peers.getPeer(try read(frame), in: host)
        case .findPeer:
            return peers.findPeers(
                try read(frame), continuing: &iterators[peer, default: PeerIterators()], in: host)
        case .peerIterNext:
            return try peers.nextPeers(try read(frame), continuing: &iterators[peer], in: host)
        case .peerNameSearch: return try peers.searchPeers(try read(frame), in: host)
        case .groupJoin: return try peers.changeOwnGroup(try read(frame), isIn: true, in: host)
        case .groupLeave: return try peers.changeOwnGroup(try read(frame), isIn: false, in: host)
        case .groupAdd: return try peers.changeGroup(try read(frame), isIn: true, in: host)
        case .groupRemove: return try peers.changeGroup(try read(frame), isIn: false, in: host)
        case .setMetadata: return try store.setMetadata(try read(frame), in: host)
        case .getMetadata: return store.getMetadata(try read(frame), in: host)
        case .listenMetadataChange: return try store.listen(try read(frame), in: host)
        case .pollInfoSet: return try polls.setPoll(try read(frame), in: host)
        case .pollInfoGet: return try polls.getPoll(try read(frame), in: host)
        case .pollQuestionsSet: return try polls.setPollQuestions(try read(frame), in: host)
        case .pollQuestionsGet: return try polls.getPollQuestions(try read(frame), in: host)
        case .pollStart: return try polls.startPoll(try read(frame), in: host)
        case .pollStop: return try polls.stopPoll(try read(frame), in: host)
        case .pollResponse: return try polls.answerPoll(try read(frame), in: host)
        case .pollResponses: return try polls.getPollResponses(try read(frame), in: host)
        case .pollList: return try polls.listPolls(try read(frame), in: host)
        case .pollResult: return try polls.getPollResult(try read(frame), in: host)
        case .pollLeaderboard:
            return try polls.getPollLeaderboard(try read(frame), cachedIn: &pollPages, in: host)
        }
    }

    /// A request about a group call. Invited users may answer before they have joined any room.
    private func callGroup(
        _ params: GroupCallParameters, on connection: Connection, in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        let request = try params.request
        guard host.room.peers[connection.peer]?.hasJoined ?? false else {
            guard request.isAboutInvitation else {
                throw .joinFirst(method: ClientMethod.groupCall.rawValue)
            }
            guard connections[connection.id]?.invitationActs.take(at: host.clock.now()) ?? false
            else {
                throw .room(
                    .tooManyRequests(perSecond: SignallingLimits.invitationActsPerSecond))
            }
            let visitor = CallCaller(
                peer: connection.peer, user: connection.claims.userID,
                role: connection.claims.role)
            return try await GroupCallCalls.perform(request, by: visitor, in: host)
        }
        return try await GroupCallCalls(peer: connection.peer).perform(request, in: host)
    }

    /// The media plane makes no further offer while it waits for an answer, so it must be told
    /// about an answer that is refused here.
    private func readAnswer(
        _ frame: IncomingFrame, from peer: PeerID, in host: isolated RoomHost
    ) async throws(SignallingError) -> AnswerParameters {
        do throws(SignallingError) {
            let params: AnswerParameters = try read(frame)
            try check(
                params.desc, is: .answer, field: "desc",
                maximum: SignallingLimits.joinedSDPBytes)
            return params
        } catch {
            await host.answerRefused(from: peer)
            throw error
        }
    }

    private func read<Parameters: Decodable>(
        _ frame: IncomingFrame
    ) throws(SignallingError) -> Parameters {
        try frame.parameters(Parameters.self)
    }
}
