internal import MediaKernel
internal import RemoteRoom

/// What the server tells without being asked. What comes twice has no effect the second time, since
/// a server may repeat what it told while the socket was cut.
extension ClientSession {
    mutating func notified(
        _ notification: OpenViduNotification, _ parameters: CallParameters, at now: Instant
    ) throws(OpenViduError) {
        switch notification {
        case .roomClosed: order(.end(.roomEnded(reason: "roomClosed")))
        case .sendMessage: hear(try IncomingSignal(parameters))
        case .mediaError:
            let error = try parameters.optionalText("error", maximum: 1024) ?? ""
            note("the server has a media error: \(secrets.hidden(in: error))")
        case .participantJoined, .participantPublished, .participantUnpublished, .participantLeft,
            .participantEvicted, .streamPropertyChanged, .iceCandidate,
            .forciblyReconnectSubscriber:
            // Before that, the list in the answer to `joinRoom` has it.
            guard membership == .inside || membership == .returning else { return }
            try told(notification, parameters, at: now)
        case .connectionPropertyChanged, .recordingStarted, .recordingStopped: break
        }
    }

    private mutating func told(
        _ notification: OpenViduNotification, _ parameters: CallParameters, at now: Instant
    ) throws(OpenViduError) {
        switch notification {
        case .participantJoined:
            var participant = try Participant(parameters)
            guard isOther(participant.id) else { return }
            participant.stream = participant.stream ?? roster[participant.id]?.stream
            put(participant, at: now)
            tellRoster()
        case .participantPublished:
            let id = try parameters.identifier("id")
            guard isOther(id), let stream = try SharedStream.published(in: parameters) else {
                return
            }
            // Its joining may have been told while the socket was cut.
            var participant =
                roster[id]
                ?? Participant(id: id, metadata: "", createdAt: stream.createdAt, stream: nil)
            participant.stream = stream
            put(participant, at: now)
            tellRoster()
        case .participantUnpublished:
            guard let participant = roster[try Self.connection(in: parameters)] else { return }
            if let stream = participant.stream { drop(stream.id) }
            roster.change(participant.id) { $0 = nil }
            tellRoster()
        case .participantLeft, .participantEvicted:
            let id = try Self.connection(in: parameters)
            let reason = try parameters.optionalText("reason", maximum: 256) ?? ""
            guard id != ownID else { return removed(secrets.hidden(in: reason)) }
            guard roster[id] != nil else { return }
            remove(id)
            tellRoster()
        case .streamPropertyChanged: try changeProperty(parameters)
        case .iceCandidate: try trickle(parameters)
        case .forciblyReconnectSubscriber: try replace(parameters, at: now)
        case .sendMessage, .mediaError, .roomClosed, .connectionPropertyChanged,
            .recordingStarted, .recordingStopped:
            break
        }
    }

    /// Servers of 2018 call it `name`.
    private static func connection(in parameters: CallParameters) throws(OpenViduError) -> String {
        if let name = try parameters.optionalText(
            "name", maximum: OpenViduLimits.identifierBytes),
            try parameters.optionalText(
                "connectionId", maximum: OpenViduLimits.identifierBytes) == nil
        {
            return name
        }
        return try parameters.identifier("connectionId")
    }

    private mutating func removed(_ reason: String) {
        let isOver = ["sessionClosedByServer", "lastParticipantLeft"].contains(reason)
        order(.end(isOver ? .roomEnded(reason: reason) : .removed(reason: reason)))
    }

    private mutating func hear(_ signal: IncomingSignal) {
        guard signal.sender != ownID || ownID.isEmpty else { return }
        order(
            .message(
                RoomMessage(
                    sender: signal.sender.map { PeerID($0) }, type: signal.type,
                    content: OpaqueJSON(string: signal.data), isPrivate: false)))
    }

    private mutating func changeProperty(
        _ parameters: CallParameters
    ) throws(OpenViduError) {
        let stream = try parameters.identifier("streamId")
        let property = try parameters.text("property", maximum: 64)
        guard ["audioActive", "videoActive"].contains(property),
            let publisher = roster.publisher(of: stream)
        else { return }
        guard let isActive = try parameters.flag("newValue") else {
            throw .badParameter("newValue", "is missing")
        }
        roster.change(publisher.id) { stream in
            if property == "audioActive" {
                stream?.isAudioActive = isActive
            } else {
                stream?.isVideoActive = isActive
            }
        }
        tellRoster()
    }

    private mutating func trickle(_ parameters: CallParameters) throws(OpenViduError) {
        let candidate = try parameters.text("candidate", maximum: OpenViduLimits.candidateBytes)
        let named = try parameters.optionalText(
            "senderConnectionId", maximum: OpenViduLimits.identifierBytes)
        let sender = if let named { named } else { try parameters.identifier("endpointName") }
        guard !candidate.isEmpty,
            let stream = receptions[sender] == nil ? roster[sender]?.stream?.id : sender,
            let connection = receptions[stream]?.connection
        else { return }
        if receptions[stream]?.isDescribed ?? false {
            order(.media(.trickle(connection, candidate)))
        } else if receptions[stream]?.candidates.count ?? 0 < ClientLimits.waitingCandidates {
            receptions[stream]?.candidates.append(candidate)
        }
    }

    /// The server's own offer of a new connection. One that comes too soon after another, or beyond
    /// those that are set up at once, is not taken: the stream has to wait for its turn.
    private mutating func replace(
        _ parameters: CallParameters, at now: Instant
    ) throws(OpenViduError) {
        let stream = try parameters.identifier("streamId")
        let offer = try parameters.text("sdpOffer", maximum: OpenViduLimits.sdpBytes)
        guard let reception = receptions[stream] else { return }
        let others = receptions.openings - (reception.isOpening ? 1 : 0)
        guard others < ClientLimits.openings,
            reception.replacedAt.map({ now - $0 >= ClientLimits.streamPause }) ?? true
        else {
            receptions[stream]?.isSubscribed = true
            if case .waiting = reception.phase { return }
            return restart(stream, at: now, after: ClientLimits.streamPause)
        }
        restart(stream, at: now, after: .zero)
        receptions[stream]?.replacedAt = now
        let connection = makeConnection(for: stream)
        receptions[stream]?.phase = .answering(isForced: true)
        order(.media(.answer(connection, offer, reception.tracks)))
    }
}
