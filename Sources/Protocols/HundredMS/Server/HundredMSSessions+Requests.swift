internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms

/// Requests from clients.
extension HundredMSSessions {
    /// The outcome of a request: a result to send, or an answer that has been sent already.
    enum Reply {
        case result(any Encodable & Sendable)
        /// A result that is already JSON.
        case rendered(String)
        case sent

        static var empty: Reply { .result(EmptyResult()) }
    }

    /// See ``HundredMSEntrance/received(_:on:)``.
    func received(_ text: String, on id: ConnectionID, in host: isolated RoomHost) async {
        guard let connection = connections[id] else { return }
        let hasJoined = host.room.peer(connection.peer)?.hasJoined ?? false
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
            guard let name = head.method else { throw SignallingError.malformed("no method") }
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
        case .offer, .answer, .trickle, .trackUpdate, .broadcast, .endRoom, .peerLeaveRequest,
            .roleChangeRequest, .roleChange, .trackUpdateRequest, .changeTrackMuteStateRequest,
            .hlsStart, .hlsStop, .hlsTimedMetadata, .rtmpStart, .rtmpStop, .peerUpdate, .getPeer,
            .findPeer, .peerIterNext, .peerNameSearch, .groupJoin, .groupLeave, .groupAdd,
            .groupRemove, .setMetadata, .getMetadata, .listenMetadataChange, .pollInfoSet,
            .pollInfoGet, .pollQuestionsSet, .pollQuestionsGet, .pollStart, .pollStop,
            .pollResponse, .pollResponses, .pollList, .pollResult, .pollLeaderboard:
            guard host.room.peer(connection.peer)?.hasJoined ?? false else {
                // Only a peer that joined on an earlier socket may offer before its join.
                guard method != .offer else { throw .placeLost(connection.peer) }
                throw host.room.hasLeft(connection.peer)
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
                try host.room.require(permission, of: peer)
            }
            switch method.terms.rate {
            case .free: break
            case .read: try host.room.readAsked(by: peer, at: host.clock.now())
            case .fanOut: try host.room.checkFanOut(of: peer, at: host.clock.now())
            }
        }
        switch method {
        case .join, .leave, .ping, .analytics: return .empty
        case .offer: return try await offer(try read(frame), id: id, on: connection, in: host)
        case .answer:
            return try await answer(
                try await readAnswer(frame, from: peer, in: host), from: peer, in: host)
        case .trickle: return try await trickle(try read(frame), from: peer, in: host)
        case .trackUpdate: return try updateTracks(try read(frame), of: peer, in: host)
        case .broadcast: return try broadcast(try read(frame), from: peer, in: host)
        case .peerUpdate: return try updatePeer(try read(frame), peer, in: host)
        case .endRoom: return try endRoom(try read(frame), by: peer, in: host)
        case .peerLeaveRequest: return try removePeer(try read(frame), by: peer, in: host)
        case .roleChangeRequest: return try requestRoleChange(try read(frame), by: peer, in: host)
        case .roleChange: return try acceptRole(try read(frame), by: peer, in: host)
        case .trackUpdateRequest: return try requestMute(try read(frame), by: peer, in: host)
        case .changeTrackMuteStateRequest:
            return try requestMutes(try read(frame), by: peer, in: host)
        case .hlsStart: return try await startHLS(try read(frame), on: connection, in: host)
        case .hlsStop: return try await stopHLS(try read(frame), by: peer, in: host)
        case .hlsTimedMetadata:
            return try await addTimedMetadata(try read(frame), by: peer, in: host)
        case .rtmpStart: return try await startRecording(try read(frame), on: connection, in: host)
        case .rtmpStop: return try await stopRecording(by: peer, in: host)
        case .getPeer: return try getPeer(try read(frame), in: host)
        case .findPeer: return findPeers(try read(frame), by: peer, in: host)
        case .peerIterNext: return try nextPeers(try read(frame), by: peer, in: host)
        case .peerNameSearch: return try searchPeers(try read(frame), by: peer, in: host)
        case .groupJoin: return try changeOwnGroup(try read(frame), isIn: true, by: peer, in: host)
        case .groupLeave:
            return try changeOwnGroup(try read(frame), isIn: false, by: peer, in: host)
        case .groupAdd: return try changeGroup(try read(frame), isIn: true, by: peer, in: host)
        case .groupRemove: return try changeGroup(try read(frame), isIn: false, by: peer, in: host)
        case .setMetadata: return try setMetadata(try read(frame), by: peer, in: host)
        case .getMetadata: return getMetadata(try read(frame), in: host)
        case .listenMetadataChange: return try listen(try read(frame), by: peer, in: host)
        case .pollInfoSet: return try setPoll(try read(frame), by: peer, in: host)
        case .pollInfoGet: return try getPoll(try read(frame), for: peer, in: host)
        case .pollQuestionsSet: return try setPollQuestions(try read(frame), by: peer, in: host)
        case .pollQuestionsGet: return try getPollQuestions(try read(frame), for: peer, in: host)
        case .pollStart: return try startPoll(try read(frame), by: peer, in: host)
        case .pollStop: return try stopPoll(try read(frame), by: peer, in: host)
        case .pollResponse: return try answerPoll(try read(frame), on: connection, in: host)
        case .pollResponses: return try getPollResponses(try read(frame), by: peer, in: host)
        case .pollList: return try listPolls(try read(frame), for: peer, in: host)
        case .pollResult: return try getPollResult(try read(frame), for: peer, in: host)
        case .pollLeaderboard: return try getPollLeaderboard(try read(frame), by: peer, in: host)
        }
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

    /// Runs `body` and converts a `RoomError` into the protocol's error.
    func ruled<Value>(
        _ body: () throws(RoomError) -> Value
    ) throws(SignallingError) -> Value {
        do {
            return try body()
        } catch {
            throw .room(error)
        }
    }

    func require(_ permission: Permission, of peer: PeerID, in host: isolated RoomHost)
        throws(SignallingError)
    {
        try ruled { () throws(RoomError) in try host.room.require(permission, of: peer) }
    }
}
