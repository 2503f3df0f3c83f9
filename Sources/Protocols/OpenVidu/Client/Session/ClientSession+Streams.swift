internal import MediaClient
internal import MediaKernel
internal import PeerConnection
internal import SDP

/// The reception of the others' streams: what media and server have to do for it.
extension ClientSession {
    /// Whether a participant is neither we nor hidden.
    func isOther(_ id: String) -> Bool { id != ownID && !ConnectionName.isHidden(id) }

    func stream(on connection: StreamConnectionID) -> String? {
        receptions.stream(on: connection)
    }

    /// Takes a participant over as it is now, and receives its stream.
    mutating func put(_ participant: Participant, at now: Instant) {
        let before = roster[participant.id]?.stream
        guard roster.put(participant) else {
            return note("participants beyond \(ClientLimits.participants) are left out")
        }
        if let before, before.id != participant.stream?.id { drop(before.id) }
        guard let stream = participant.stream, receptions[stream.id] == nil else { return }
        guard receptions.count < StreamConnections.maximum else {
            lacksPlaces = true
            return note("streams beyond \(StreamConnections.maximum) are left out")
        }
        receive(stream, of: participant, at: now)
    }

    private mutating func receive(
        _ stream: SharedStream, of participant: Participant, at now: Instant
    ) {
        var tracks: [MediaSection.Kind: TrackID] = [:]
        tracks[.audio] = stream.audio
        if receivesVideo { tracks[.video] = stream.video }
        guard !tracks.isEmpty else { return }
        receptions[stream.id] = Reception(
            stream: stream.id, number: nextReception, publisher: participant.id, tracks: tracks,
            phase: .waiting(now))
        nextReception += 1
    }

    /// Gives the places of streams that have ended to those that found none, in the order in which
    /// the participants came.
    private mutating func fillPlaces(at now: Instant) {
        guard lacksPlaces, receptions.count < StreamConnections.maximum else { return }
        lacksPlaces = false
        for participant in roster.participants {
            guard let stream = participant.stream, receptions[stream.id] == nil else { continue }
            guard receptions.count < StreamConnections.maximum else {
                lacksPlaces = true
                return
            }
            receive(stream, of: participant, at: now)
        }
    }

    mutating func remove(_ participant: String) {
        if let stream = roster[participant]?.stream { drop(stream.id) }
        roster.remove(participant)
    }

    /// A stream has ended.
    mutating func drop(_ stream: String) {
        guard let reception = receptions[stream] else { return }
        receptions[stream] = nil
        if let connection = reception.connection { order(.media(.close(connection))) }
    }

    /// Ends a stream's connection; another one follows.
    mutating func restart(_ stream: String, at now: Instant, after pause: Duration) {
        guard let reception = receptions[stream] else { return }
        if let connection = reception.connection { order(.media(.close(connection))) }
        receptions[stream]?.connection = nil
        receptions[stream]?.state = .new
        receptions[stream]?.isDescribed = false
        receptions[stream]?.candidates = []
        receptions[stream]?.phase = .waiting(now + pause)
        receptions[stream]?.interrupt(at: now)
    }

    /// A connection is of no use. Another one is tried, for as long as patience lasts.
    mutating func failed(_ connection: StreamConnectionID, _ reason: String, at now: Instant) {
        guard let stream = stream(on: connection) else { return }
        restart(stream, at: now, after: ClientLimits.streamPause)
        let missed = receptions[stream]?.disconnectedSince.map { now - $0 } ?? .zero
        guard missed >= ClientLimits.patience else {
            return order(.warn("stream \(stream) is not received: \(reason)"))
        }
        receptions[stream]?.phase = .waiting(now + ClientLimits.leftOutPause)
        leaveOut(stream, reason)
    }

    private mutating func leaveOut(_ stream: String, _ reason: String) {
        guard receptions[stream]?.isLeftOut == false else { return }
        receptions[stream]?.isLeftOut = true
        order(.warn("stream \(stream) is left out: \(reason)"))
        tellRoster()
    }

    private mutating func takeBack(_ stream: String) {
        guard receptions[stream]?.isLeftOut == true else { return }
        receptions[stream]?.isLeftOut = false
        tellRoster()
    }

    mutating func makeConnection(for stream: String) -> StreamConnectionID {
        let connection = StreamConnectionID(nextConnection)
        nextConnection += 1
        receptions[stream]?.connection = connection
        return connection
    }

    /// Begins what is due, a few at once, in the order in which it became due. Streams that were left
    /// out leave half of the places to others.
    mutating func beginReceptions(at now: Instant) {
        guard link != .down, membership == .inside else { return }
        fillPlaces(at: now)
        while receptions.openings < ClientLimits.openings, let reception = receptions.takeNext() {
            guard reception.isDue(at: now),
                !reception.isLeftOut || receptions.openings < ClientLimits.openings / 2
            else { continue }
            let stream = reception.stream
            let connection = makeConnection(for: stream)
            if serverOffers {
                receptions[stream]?.phase = .preparing
                let isSubscribed = receptions[stream]?.isSubscribed ?? false
                call(
                    .prepareReceiveVideoFrom,
                    ["sender": .string(stream), "reconnect": .bool(isSubscribed)],
                    for: .prepare(connection), at: now)
            } else {
                receptions[stream]?.phase = .offering
                order(.media(.offer(connection, receptions[stream]?.tracks ?? [:])))
            }
        }
    }

    // MARK: What media report

    /// Our offer is made.
    mutating func offered(_ connection: StreamConnectionID, _ sdp: String, at now: Instant) {
        guard let stream = stream(on: connection), receptions[stream]?.phase == .offering else {
            return
        }
        receptions[stream]?.phase = .asking
        if receptions[stream]?.isSubscribed ?? false {
            call(
                .reconnectStream, ["stream": .string(stream), "sdpString": .string(sdp)],
                for: .receive(connection), at: now)
        } else {
            call(
                .receiveVideoFrom, ["sender": .string(stream), "sdpOffer": .string(sdp)],
                for: .receive(connection), at: now)
        }
    }

    /// Our answer is made.
    ///
    /// - Parameter candidates: ours.
    mutating func answered(
        _ connection: StreamConnectionID, _ sdp: String, candidates: [String], at now: Instant
    ) {
        guard let stream = stream(on: connection), let reception = receptions[stream],
            case .answering(let isForced) = reception.phase
        else { return }
        receptions[stream]?.phase = .confirming
        if isForced || reception.isSubscribed {
            var parameters: [String: JSONValue] = [
                "stream": .string(stream), "sdpString": .string(sdp),
            ]
            if isForced { parameters["forciblyReconnect"] = .bool(true) }
            call(.reconnectStream, parameters, for: .receive(connection), at: now)
        } else {
            call(
                .receiveVideoFrom, ["sender": .string(stream), "sdpAnswer": .string(sdp)],
                for: .receive(connection), at: now)
        }
        described(stream, connection, candidates, at: now)
    }

    /// The server's answer is applied.
    mutating func accepted(
        _ connection: StreamConnectionID, candidates: [String], at now: Instant
    ) {
        guard let stream = stream(on: connection) else { return }
        described(stream, connection, candidates, at: now)
    }

    private mutating func described(
        _ stream: String, _ connection: StreamConnectionID, _ candidates: [String],
        at now: Instant
    ) {
        guard let reception = receptions[stream] else { return }
        receptions[stream]?.isDescribed = true
        receptions[stream]?.candidates = []
        for candidate in reception.candidates {
            order(.media(.trickle(connection, candidate)))
        }
        guard link != .down else { return }
        for candidate in candidates {
            call(
                .onIceCandidate,
                [
                    "endpointName": .string(reception.publisher),
                    "candidate": .string(candidate), "sdpMid": "0",
                    "sdpMLineIndex": .integer(0),
                ], for: .other, at: now)
        }
    }

    /// A connection could not be made or described.
    mutating func mediaFailed(_ connection: StreamConnectionID, _ reason: String, at now: Instant) {
        failed(connection, secrets.hidden(in: reason), at: now)
        tellPath()
    }

    mutating func stateChanged(
        _ connection: StreamConnectionID, _ state: PeerConnectionState, at now: Instant
    ) {
        guard let stream = stream(on: connection) else { return }
        receptions[stream]?.state = state
        switch state {
        case .connected:
            receptions[stream]?.resume(at: now)
            takeBack(stream)
        case .failed: failed(connection, "its connection has failed", at: now)
        case .closed: failed(connection, "the server has closed its connection", at: now)
        case .disconnected: receptions[stream]?.interrupt(at: now)
        case .new, .connecting: break
        }
        beginReceptions(at: now)
        tellPath()
    }
}
