internal import MediaKernel
internal import Rooms

/// What application servers have been told of a session, and so what they have to be told of a
/// change. Facts in, details out.
struct SessionLedger {
    private struct Stay {
        var participant: Participant
        var joinedAt: Int64
        var publishedAt: Int64 = 0
    }

    /// A stream that a client of this protocol receives.
    struct View: Hashable {
        var stream: SharedStream
        /// The connection that publishes it.
        var publisher: String
    }

    private struct Viewing {
        var view: View
        /// Who receives it.
        var participant: Participant
        var since: Int64
    }

    let room: RoomID
    /// Nil while nobody is in the room.
    private(set) var openedAt: UnixTime?
    private var closedAt: UnixTime?
    private var stays: [PeerID: [Stay]] = [:]
    private var viewings: [PeerID: [String: Viewing]] = [:]

    init(room: RoomID) { self.room = room }

    var peers: Set<PeerID> { Set(stays.keys) }

    /// The connections of a peer, or its streams, may have changed.
    ///
    /// - Parameters:
    ///   - participants: those of now; none for a peer that is gone.
    ///   - reason: why connections are gone.
    ///   - unpublished: why streams of remaining ones are.
    ///   - session: when the room's session began, which recordings are told by; nil if there is
    ///     none.
    mutating func update(
        _ peer: PeerID, _ participants: [Participant], reason: String,
        unpublished: String = "unpublish", since session: UnixTime?, at time: UnixTime
    ) -> [CallDetail] {
        var details: [CallDetail] = []
        let known = stays[peer] ?? []
        guard !known.isEmpty || !participants.isEmpty else { return [] }
        if openedAt == nil {
            // A recorder may have kept the room's session while nobody else was there.
            let begun =
                session.flatMap { start in
                    closedAt.map { start > $0 } ?? true ? start : nil
                } ?? time
            openedAt = begun
            // With the time that is in the session's name, as in OpenVidu.
            details.append(detail(.sessionCreated, at: begun))
        }
        if participants.isEmpty {
            details += endViewings(of: peer, reason: reason, at: time)
        }
        for stay in known where !participants.contains(where: { $0.id == stay.participant.id }) {
            if let stream = stay.participant.stream {
                details.append(destroyed(stream, stay, reason: reason, at: time))
            }
            details.append(
                detail(
                    .participantLeft, at: time, start: stay.joinedAt, reason: reason,
                    Self.members(of: stay.participant)))
        }
        stays[peer] =
            participants.isEmpty
            ? nil
            : participants.map { participant in
                var stay =
                    known.first { $0.participant.id == participant.id }
                    ?? Stay(
                        participant: Participant(
                            id: participant.id, metadata: participant.metadata,
                            createdAt: participant.createdAt), joinedAt: -1)
                if stay.joinedAt < 0 {
                    stay.joinedAt = time.milliseconds
                    details.append(
                        detail(.participantJoined, at: time, Self.members(of: participant)))
                }
                if stay.participant.stream?.id != participant.stream?.id {
                    if let stream = stay.participant.stream {
                        details.append(destroyed(stream, stay, reason: unpublished, at: time))
                    }
                    if let stream = participant.stream {
                        stay.publishedAt = time.milliseconds
                        details.append(
                            detail(
                                .webrtcConnectionCreated, at: time,
                                Self.members(of: stream, by: participant)))
                    }
                }
                stay.participant = participant
                return stay
            }
        return details
    }

    /// A client receives a stream, perhaps already.
    mutating func began(
        _ view: View, of peer: PeerID, _ participant: Participant, at time: UnixTime
    ) -> [CallDetail] {
        guard viewings[peer]?[view.stream.id] == nil else { return [] }
        viewings[peer, default: [:]][view.stream.id] = Viewing(
            view: view, participant: participant, since: time.milliseconds)
        return [
            detail(
                .webrtcConnectionCreated, at: time,
                Self.members(of: view.stream, by: participant, from: view.publisher))
        ]
    }

    /// A client does not receive a stream any more.
    mutating func ended(
        _ stream: String, of peer: PeerID, reason: String, at time: UnixTime
    ) -> [CallDetail] {
        guard let viewing = viewings[peer]?.removeValue(forKey: stream) else { return [] }
        if viewings[peer]?.isEmpty == true { viewings[peer] = nil }
        return [destroyed(viewing, reason: reason, at: time)]
    }

    /// Ends the session once nobody is left.
    mutating func close(reason: String, at time: UnixTime) -> [CallDetail] {
        guard stays.isEmpty, let openedAt else { return [] }
        let end = detail(
            .sessionDestroyed, at: time, start: openedAt.milliseconds, reason: reason)
        self.openedAt = nil
        closedAt = time
        viewings = [:]
        return [end]
    }

    /// - Parameters:
    ///   - sender: a connection; nil for an application server.
    ///   - targets: connections.
    func signal(
        from sender: String?, to targets: [String], type: String, data: String, at time: UnixTime
    ) -> CallDetail {
        detail(
            .signalSent, at: time,
            [
                "from": sender.map { .string($0) } ?? .null,
                "to": .array(targets.map { .string($0) }), "type": .string(type),
                "data": .string(data),
            ])
    }

    // MARK: - Details

    private mutating func endViewings(
        of peer: PeerID, reason: String, at time: UnixTime
    ) -> [CallDetail] {
        (viewings.removeValue(forKey: peer) ?? [:]).values
            .sorted { ($0.since, $0.view.stream.id) < ($1.since, $1.view.stream.id) }
            .map { destroyed($0, reason: reason, at: time) }
    }

    private func destroyed(
        _ viewing: Viewing, reason: String, at time: UnixTime
    ) -> CallDetail {
        detail(
            .webrtcConnectionDestroyed, at: time, start: viewing.since, reason: reason,
            Self.members(
                of: viewing.view.stream, by: viewing.participant, from: viewing.view.publisher))
    }

    private func destroyed(
        _ stream: SharedStream, _ stay: Stay, reason: String, at time: UnixTime
    ) -> CallDetail {
        detail(
            .webrtcConnectionDestroyed, at: time, start: stay.publishedAt, reason: reason,
            Self.members(of: stream, by: stay.participant))
    }

    private func detail(
        _ event: CallDetail.Event, at time: UnixTime, start: Int64? = nil, reason: String? = nil,
        _ members: [String: JSONValue] = [:]
    ) -> CallDetail {
        CallDetail(
            event, in: room, since: openedAt, at: time, start: start, reason: reason, members)
    }

    private static func members(of participant: Participant) -> [String: JSONValue] {
        let (client, server) = ParticipantMetadata.parts(of: participant.metadata)
        return [
            "participantId": .string(participant.id), "connectionId": .string(participant.id),
            "location": "unknown", "ip": .null, "platform": "unknown",
            "clientData": .string(client), "serverData": .string(server),
        ]
    }

    /// - Parameter publisher: the connection that it is received from; nil for the publisher's own.
    private static func members(
        of stream: SharedStream, by participant: Participant, from publisher: String? = nil
    ) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "streamId": .string(stream.id), "participantId": .string(participant.id),
            "connectionId": .string(participant.id),
            "connection": publisher == nil ? "OUTBOUND" : "INBOUND",
            "audioEnabled": .bool(stream.audio != nil),
            "videoEnabled": .bool(stream.video != nil),
        ]
        if let publisher { members["receivingFrom"] = .string(publisher) }
        if stream.video != nil {
            members["videoSource"] = .string(stream.terms.source)
            members["videoFramerate"] = .integer(Int64(stream.terms.frameRate))
            members["videoDimensions"] = .string(stream.terms.dimensions)
        }
        return members
    }
}
