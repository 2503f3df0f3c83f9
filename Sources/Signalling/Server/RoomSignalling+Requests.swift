internal import Logging
internal import MediaKernel
internal import Rooms

/// What a client says.
extension RoomSignalling {
    /// What becomes of a request: something to answer, or an answer that has been sent already.
    enum Reply {
        case result(any Encodable & Sendable)
        /// A result that is JSON already.
        case rendered(String)
        case sent

        static var empty: Reply { .result(EmptyResult()) }
    }

    /// A text frame came. It is dealt with when this returns. Whatever is in it, the connection
    /// stays; it is closed only for a frame that is too long, or for more than its `FrameAllowance`.
    public func received(_ text: String, on id: ConnectionID) async {
        guard let connection = connections[id] else { return }
        let hasJoined = room.peer(connection.peer)?.hasJoined ?? false
        let longest = hasJoined ? SignallingLimits.joinedFrameBytes : SignallingLimits.frameBytes
        guard text.utf8.count <= longest else {
            log(.notice, "frame too long", connection.peer)
            drop(connection, code: CloseCode.messageTooBig, reason: "frame too long")
            return await settle()
        }
        guard connections[id]?.allowance.take(text.utf8.count, at: clock.now()) ?? false else {
            refuse(.tooManyFrames, id: nil, isCall: false, on: connection)
            log(.notice, "too many frames", connection.peer)
            close(connection, code: CloseCode.policyViolation, reason: "too many frames")
            return await settle()
        }
        connections[id]?.lastHeard = clock.now()
        connections[id]?.hasSpoken = true
        let frame: IncomingFrame
        do {
            frame = try IncomingFrame(text, limits: .frame)
        } catch {
            return refuse(error, id: nil, isCall: true, on: connection)
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
            let reply = try await perform(method, frame, id: head.id, on: connection)
            if let call = head.id { answer(call, reply, on: connection) }
        } catch {
            let isCall = head.id != nil || head.method == nil
            refuse(error, id: head.id, isCall: isCall, on: connection)
            if case .placeLost = error { sendBack(connection, error) }
        }
        await settle()
    }

    /// 100ms' clients offer again and again for a minute after any other error, and begin anew after
    /// this one.
    private func sendBack(_ connection: Connection, _ error: SignallingError) {
        let payload = error.payload(for: connection.claims.client)
        log(.info, "peer has to join again", connection.peer)
        push(.onError, payload, to: connection)
        close(
            connection, code: CloseCode.policyViolation, reason: "refused: \(payload.code)")
    }

    private func answer(_ call: RequestID, _ reply: Reply, on connection: Connection) {
        switch reply {
        case .result(let result): self.reply(result, to: call, on: connection)
        case .rendered(let text): self.reply(rendered: text, to: call, on: connection)
        case .sent: break
        }
    }

    private func perform(
        _ method: ClientMethod, _ frame: IncomingFrame, id: RequestID?, on connection: Connection
    ) async throws(SignallingError) -> Reply {
        switch method {
        case .ping:
            return .result(PingPayload(timestamp: clock.wall().milliseconds))
        case .analytics:
            return .empty
        case .join:
            return try await join(try read(frame), id: id, on: connection)
        case .leave:
            return leave(connection)
        case .offer, .answer, .trickle, .trackUpdate, .broadcast, .endRoom, .peerLeaveRequest,
            .roleChangeRequest, .roleChange, .trackUpdateRequest, .changeTrackMuteStateRequest,
            .hlsStart, .hlsStop, .hlsTimedMetadata, .rtmpStart, .rtmpStop, .peerUpdate, .getPeer,
            .findPeer, .peerIterNext, .peerNameSearch, .groupJoin, .groupLeave, .groupAdd,
            .groupRemove, .setMetadata, .getMetadata, .listenMetadataChange, .pollInfoSet,
            .pollInfoGet, .pollQuestionsSet, .pollQuestionsGet, .pollStart, .pollStop,
            .pollResponse, .pollResponses, .pollList, .pollResult, .pollLeaderboard:
            guard room.peer(connection.peer)?.hasJoined ?? false else {
                // Nobody offers before its join who has not joined on an earlier socket.
                guard method != .offer else { throw .placeLost(connection.peer) }
                throw room.hasLeft(connection.peer)
                    ? .room(.peerGone(connection.peer)) : .joinFirst(method: method.rawValue)
            }
            return try await performJoined(method, frame, id: id, on: connection)
        }
    }

    private func performJoined(
        _ method: ClientMethod, _ frame: IncomingFrame, id: RequestID?, on connection: Connection
    ) async throws(SignallingError) -> Reply {
        let peer = connection.peer
        try ruled { () throws(RoomError) in
            if let permission = method.terms.permission { try room.require(permission, of: peer) }
            switch method.terms.rate {
            case .free: break
            case .read: try room.readAsked(by: peer, at: clock.now())
            case .fanOut: try room.checkFanOut(of: peer, at: clock.now())
            }
        }
        switch method {
        case .join, .leave, .ping, .analytics: return .empty
        case .offer: return try await offer(try read(frame), id: id, on: connection)
        case .answer:
            return try await answer(try await readAnswer(frame, from: peer), from: peer)
        case .trickle: return try await trickle(try read(frame), from: peer)
        case .trackUpdate: return try updateTracks(try read(frame), of: peer)
        case .broadcast: return try broadcast(try read(frame), from: peer)
        case .peerUpdate: return try updatePeer(try read(frame), peer)
        case .endRoom: return try endRoom(try read(frame), by: peer)
        case .peerLeaveRequest: return try removePeer(try read(frame), by: peer)
        case .roleChangeRequest: return try requestRoleChange(try read(frame), by: peer)
        case .roleChange: return try acceptRole(try read(frame), by: peer)
        case .trackUpdateRequest: return try requestMute(try read(frame), by: peer)
        case .changeTrackMuteStateRequest: return try requestMutes(try read(frame), by: peer)
        case .hlsStart: return try await startHLS(try read(frame), on: connection)
        case .hlsStop: return try await stopHLS(try read(frame), by: peer)
        case .hlsTimedMetadata: return try await addTimedMetadata(try read(frame), by: peer)
        case .rtmpStart: return try await startRecording(try read(frame), on: connection)
        case .rtmpStop: return try await stopRecording(by: peer)
        case .getPeer: return try getPeer(try read(frame))
        case .findPeer: return findPeers(try read(frame), by: peer)
        case .peerIterNext: return try nextPeers(try read(frame), by: peer)
        case .peerNameSearch: return try searchPeers(try read(frame), by: peer)
        case .groupJoin: return try joinGroup(try read(frame), by: peer)
        case .groupLeave: return try leaveGroup(try read(frame), by: peer)
        case .groupAdd: return try changeGroup(try read(frame), isIn: true, by: peer)
        case .groupRemove: return try changeGroup(try read(frame), isIn: false, by: peer)
        case .setMetadata: return try setMetadata(try read(frame), by: peer)
        case .getMetadata: return getMetadata(try read(frame))
        case .listenMetadataChange: return try listen(try read(frame), by: peer)
        case .pollInfoSet: return try setPoll(try read(frame), by: peer)
        case .pollInfoGet: return try getPoll(try read(frame), for: peer)
        case .pollQuestionsSet: return try setPollQuestions(try read(frame), by: peer)
        case .pollQuestionsGet: return try getPollQuestions(try read(frame), for: peer)
        case .pollStart: return try startPoll(try read(frame), by: peer)
        case .pollStop: return try stopPoll(try read(frame), by: peer)
        case .pollResponse: return try answerPoll(try read(frame), on: connection)
        case .pollResponses: return try getPollResponses(try read(frame), by: peer)
        case .pollList: return try listPolls(try read(frame), for: peer)
        case .pollResult: return try getPollResult(try read(frame), for: peer)
        case .pollLeaderboard: return try getPollLeaderboard(try read(frame), by: peer)
        }
    }

    /// While an answer is awaited the media plane offers nothing more, so it is told of one that
    /// does not come as far as to it.
    private func readAnswer(
        _ frame: IncomingFrame, from peer: PeerID
    ) async throws(SignallingError) -> AnswerParameters {
        do throws(SignallingError) {
            let params: AnswerParameters = try read(frame)
            try check(
                params.desc, is: .answer, field: "desc",
                maximum: SignallingLimits.joinedSDPBytes)
            return params
        } catch {
            if seats[peer] == .open { await media.answerRefused(from: peer) }
            throw error
        }
    }

    private func read<Parameters: Decodable>(
        _ frame: IncomingFrame
    ) throws(SignallingError) -> Parameters {
        try frame.parameters(Parameters.self)
    }

    /// A rule of the room, in the protocol's form.
    func ruled<Value>(
        _ body: () throws(RoomError) -> Value
    ) throws(SignallingError) -> Value {
        do {
            return try body()
        } catch {
            throw .room(error)
        }
    }

    func require(_ permission: Permission, of peer: PeerID) throws(SignallingError) {
        try ruled { () throws(RoomError) in try room.require(permission, of: peer) }
    }
}
