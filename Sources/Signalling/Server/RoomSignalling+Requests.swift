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
        let head: FrameHead
        do {
            head = try FrameCodec.decode(FrameHead.self, from: text)
        } catch {
            return refuse(error, id: nil, isCall: true, on: connection)
        }
        do throws(SignallingError) {
            guard let name = head.method else { throw SignallingError.malformed("no method") }
            guard let method = ClientMethod(rawValue: name) else {
                throw SignallingError.unknownMethod(String(name.prefix(RoomLimits.wordBytes)))
            }
            let reply = try await perform(method, text, id: head.id, on: connection)
            if let call = head.id { answer(call, reply, on: connection) }
        } catch {
            let isCall = head.id != nil || head.method == nil
            refuse(error, id: head.id, isCall: isCall, on: connection)
        }
        await settle()
    }

    private func answer(_ call: RequestID, _ reply: Reply, on connection: Connection) {
        switch reply {
        case .result(let result): self.reply(result, to: call, on: connection)
        case .rendered(let text): self.reply(rendered: text, to: call, on: connection)
        case .sent: break
        }
    }

    private func perform(
        _ method: ClientMethod, _ text: String, id: RequestID?, on connection: Connection
    ) async throws(SignallingError) -> Reply {
        switch method {
        case .ping:
            return .result(PingPayload(timestamp: clock.wall().milliseconds))
        case .analytics:
            return .empty
        case .join:
            return try await join(try read(text), id: id, on: connection)
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
                throw room.hasLeft(connection.peer)
                    ? .room(.peerGone(connection.peer)) : .joinFirst(method: method.rawValue)
            }
            return try await performJoined(method, text, id: id, on: connection)
        }
    }

    private func performJoined(
        _ method: ClientMethod, _ text: String, id: RequestID?, on connection: Connection
    ) async throws(SignallingError) -> Reply {
        let peer = connection.peer
        if method.reads {
            try ruled { () throws(RoomError) in try room.readAsked(by: peer, at: clock.now()) }
        }
        switch method {
        case .join, .leave, .ping, .analytics: return .empty
        case .offer: return try await offer(try read(text), id: id, on: connection)
        case .answer:
            return try await answer(try await readAnswer(text, from: peer), from: peer)
        case .trickle: return try await trickle(try read(text), from: peer)
        case .trackUpdate: return try updateTracks(try read(text), of: peer)
        case .broadcast: return try broadcast(try read(text), from: peer)
        case .peerUpdate: return try updatePeer(try read(text), peer)
        case .endRoom: return try endRoom(try read(text), by: peer)
        case .peerLeaveRequest: return try removePeer(try read(text), by: peer)
        case .roleChangeRequest: return try requestRoleChange(try read(text), by: peer)
        case .roleChange: return try acceptRole(try read(text), by: peer)
        case .trackUpdateRequest: return try requestMute(try read(text), by: peer)
        case .changeTrackMuteStateRequest: return try requestMutes(try read(text), by: peer)
        case .hlsStart: return try await startHLS(try read(text), on: connection)
        case .hlsStop: return try await stopHLS(try read(text), by: peer)
        case .hlsTimedMetadata: return try await addTimedMetadata(try read(text), by: peer)
        case .rtmpStart: return try await startRecording(try read(text), on: connection)
        case .rtmpStop: return try await stopRecording(by: peer)
        case .getPeer: return try getPeer(try read(text))
        case .findPeer: return findPeers(try read(text), by: peer)
        case .peerIterNext: return try nextPeers(try read(text), by: peer)
        case .peerNameSearch: return try searchPeers(try read(text), by: peer)
        case .groupJoin: return try joinGroup(try read(text), by: peer)
        case .groupLeave: return try leaveGroup(try read(text), by: peer)
        case .groupAdd: return try changeGroup(try read(text), isIn: true, by: peer)
        case .groupRemove: return try changeGroup(try read(text), isIn: false, by: peer)
        case .setMetadata: return try setMetadata(try read(text), by: peer)
        case .getMetadata: return getMetadata(try read(text))
        case .listenMetadataChange: return try listen(try read(text), by: peer)
        case .pollInfoSet: return try setPoll(try read(text), by: peer)
        case .pollInfoGet: return try getPoll(try read(text), for: peer)
        case .pollQuestionsSet: return try setPollQuestions(try read(text), by: peer)
        case .pollQuestionsGet: return try getPollQuestions(try read(text), for: peer)
        case .pollStart: return try startPoll(try read(text), by: peer)
        case .pollStop: return try stopPoll(try read(text), by: peer)
        case .pollResponse: return try answerPoll(try read(text), on: connection)
        case .pollResponses: return try getPollResponses(try read(text), by: peer)
        case .pollList: return try listPolls(try read(text), for: peer)
        case .pollResult: return try getPollResult(try read(text), for: peer)
        case .pollLeaderboard: return try getPollLeaderboard(try read(text), by: peer)
        }
    }

    /// While an answer is awaited the media plane offers nothing more, so it is told of one that
    /// does not come as far as to it.
    private func readAnswer(
        _ text: String, from peer: PeerID
    ) async throws(SignallingError) -> AnswerParameters {
        do throws(SignallingError) {
            let params: AnswerParameters = try read(text)
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
        _ text: String
    ) throws(SignallingError) -> Parameters {
        try FrameCodec.parameters(Parameters.self, from: text)
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
