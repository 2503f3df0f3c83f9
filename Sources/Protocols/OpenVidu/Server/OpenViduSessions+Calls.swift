internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms

/// Calls of clients that have joined.
extension OpenViduSessions {
    /// See ``OpenViduEntrance/received(_:on:)``.
    func received(_ text: String, on place: OpenViduPlace, in host: isolated RoomHost) async {
        guard let connection = connections[place] else { return }
        let (now, count) = (host.clock.now(), text.utf8.count)
        guard count <= OpenViduLimits.frameBytes else {
            host.log(.notice, "frame too long", connection.peer)
            drop(connection, code: CloseCode.messageTooBig, reason: "frame too long", in: host)
            return await host.settle()
        }
        guard connections[place]?.allowance.take(count, at: now) == true else {
            host.log(.notice, "too many frames", connection.peer)
            drop(connection, code: CloseCode.policyViolation, reason: "too many frames", in: host)
            return await host.settle()
        }
        connections[place]?.lastHeard = now
        let rpcSession = members[connection.peer]?.rpcSession ?? ""
        let call: OpenViduCall
        do {
            call = try OpenViduCall(text)
        } catch {
            return enqueue(
                OpenViduFrame.error(error, to: nil, rpcSession: rpcSession), on: place, in: host)
        }
        let answer: String?
        do throws(OpenViduError) {
            let result = try await perform(call, on: connection, in: host)
            // Apps of 2018 take a result with `sessionId` and `value` for that of `joinRoom`.
            let said = call.method == OpenViduMethod.ping.rawValue ? "" : rpcSession
            answer = call.id.map { OpenViduFrame.result(result, to: $0, rpcSession: said) }
        } catch {
            host.log(
                .debug, "request refused", connection.peer,
                ["code": "\(error.code)", "reason": "\(error.message)"])
            answer = OpenViduFrame.error(error, to: call.id, rpcSession: rpcSession)
        }
        if let answer { enqueue(answer, on: place, in: host) }
        if call.method == OpenViduMethod.leaveRoom.rawValue {
            sayFarewell(to: connection.peer, in: host)
        }
        await host.settle()
        let changing: [OpenViduMethod] = [
            .publishVideo, .unpublishVideo, .leaveRoom, .forceUnpublish, .forceDisconnect,
        ]
        if changing.contains(where: { $0.rawValue == call.method }) {
            scribe.look(at: connection.peer, of: self, in: host)
        }
    }

    private func perform(
        _ call: OpenViduCall, on connection: Connection, in host: isolated RoomHost
    ) async throws(OpenViduError) -> [String: JSONValue] {
        let (peer, parameters) = (connection.peer, call.parameters)
        switch OpenViduMethod(rawValue: call.method) {
        case .ping:
            if let interval = try parameters.number("interval") {
                expectPings(every: interval, on: connection.place)
            }
            return ["value": "pong"]
        case .echo, .videoData:
            return [:]
        case .sessionStatus:
            return ["life": .integer(-1)]
        case .joinRoom, .connect:
            throw OpenViduError(.alreadyJoined(peer))
        case .leaveRoom:
            host.room.left(peer)
            return [:]
        case .publishVideo:
            return try await publish(parameters, by: peer, in: host)
        case .unpublishVideo:
            return try unpublish(peer, in: host)
        case .prepareReceiveVideoFrom:
            return try await prepareViewing(parameters, by: peer, in: host)
        case .receiveVideoFrom:
            return try await view(parameters, by: peer, in: host)
        case .unsubscribeFromVideo:
            return try stopViewing(parameters, by: peer, in: host)
        case .onIceCandidate:
            return try await trickle(parameters, from: peer, in: host)
        case .reconnectStream:
            return try await reconnect(parameters, by: peer, in: host)
        case .sendMessage:
            return try send(parameters, from: peer, in: host)
        case .streamPropertyChanged:
            return try changeProperty(parameters, by: peer, in: host)
        case .forceUnpublish:
            return try forceUnpublish(parameters, by: peer, in: host)
        case .forceDisconnect:
            return try forceDisconnect(parameters, by: peer, in: host)
        case nil:
            throw .unknownMethod(call.method)
        }
    }

    /// - Parameter interval: in milliseconds.
    private func expectPings(every interval: Double, on place: OpenViduPlace) {
        let believed = OpenViduLimits.pingIntervals
        let bounded = min(max(interval, believed.lowerBound), believed.upperBound)
        connections[place]?.silence =
            Duration.milliseconds(Int(bounded)) * OpenViduLimits.pingsMissed
    }

    // MARK: - Signals

    private func send(
        _ parameters: CallParameters, from peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) -> [String: JSONValue] {
        let text = try parameters.text("message", maximum: OpenViduLimits.sdpBytes)
        let signal = try OutgoingSignal(text)
        var targets: [PeerID] = []
        for target in signal.targets {
            guard let owner = roster.owner(ofConnection: target),
                owner == peer || (try? host.room.peers.visiblePeer(owner)) != nil
            else { throw .signalTarget("connection [\(target)] does not exist") }
            if !targets.contains(owner) { targets.append(owner) }
        }
        let now = host.clock.now()
        let audiences =
            targets.isEmpty
            ? [Audience.everybody] : targets.filter { $0 != peer }.map(Audience.peer)
        let body = OpaqueJSON(string: signal.data)
        var sent: Message?
        do throws(RoomError) {
            if audiences.isEmpty {
                // Nobody else in the room hears of it, but application servers do.
                try host.room.fanOutRequested(with: (signal.type, body), by: peer, at: now)
            }
            for audience in audiences {
                let message = try host.room.messageSent(
                    by: peer, to: audience, type: signal.type, body: body, at: now,
                    wall: host.clock.wall())
                host.streaming.said(message, room: host.room.id)
                sent = message
            }
        } catch {
            throw OpenViduError(error)
        }
        scribe.signalled(
            from: peer.rawValue, to: signal.targets, type: signal.type, data: signal.data, self,
            in: host)
        // A client shows its own signal when the server sends it.
        if targets.isEmpty || targets.contains(peer) {
            var echo: [String: JSONValue] = [
                "data": .string(signal.data), "from": .string(peer.rawValue),
            ]
            echo["type"] = .string(signal.type.isEmpty ? "signal" : "signal:\(signal.type)")
            if let sent { echo = self.signal(sent, in: host) }
            push(.sendMessage, echo, to: peer, in: host)
        }
        return [:]
    }

    // MARK: - Moderation

    private func forceDisconnect(
        _ parameters: CallParameters, by peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) -> [String: JSONValue] {
        let id = try parameters.identifier("connectionId")
        guard let target = roster.owner(ofConnection: id) else { throw .unknownUser(id) }
        do throws(RoomError) {
            try host.room.removalRequested(of: target, by: peer, reason: "", at: host.clock.now())
        } catch {
            throw OpenViduError(error)
        }
        return [:]
    }

    /// Ends another's stream. A client of another protocol cannot be told to, and is muted instead.
    private func forceUnpublish(
        _ parameters: CallParameters, by peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) -> [String: JSONValue] {
        let id = try parameters.identifier("streamId")
        let (owner, stream) = try self.stream(named: id, for: peer, in: host)
        do throws(RoomError) {
            try host.room.peers.require(.removeOthers, of: peer)
            guard members[owner]?.publication?.stream == stream.id else {
                for track in [stream.audio, stream.video].compactMap(\.self) {
                    try host.room.muteRequested(
                        true, track: track, stream: nil, of: owner, by: peer,
                        at: host.clock.now())
                }
                return [:]
            }
            try host.room.fanOutRequested(by: peer, at: host.clock.now())
        } catch {
            throw OpenViduError(error)
        }
        end(stream.id, of: owner, reason: "forceUnpublishByUser", in: host)
        return [:]
    }
}
