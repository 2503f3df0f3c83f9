internal import MediaKernel
internal import RoomHost
internal import Rooms

/// What application servers see and do.
extension OpenViduSessions {
    /// The connections in the room, and whether it is recorded.
    func summary(
        in host: isolated RoomHost
    ) -> (connections: [JSONValue], isRecording: Bool) {
        var bodies: [JSONValue] = []
        for peer in host.room.peers.visible {
            let role = host.room.policy.role(peer.role).map { OpenViduRole($0) } ?? .subscriber
            let subscribed = members[peer.id]?.viewed.keys.sorted() ?? []
            for participant in roster.participants(of: peer, at: host.clock.wall()) {
                bodies.append(body(of: participant, of: peer, role, subscribed, in: host))
            }
        }
        return (bodies, host.room.streaming.isRecorded)
    }

    private func body(
        of participant: Participant, of peer: Peer, _ role: OpenViduRole, _ subscribed: [String],
        in host: isolated RoomHost
    ) -> JSONValue {
        let id = JSONValue.string(participant.id)
        let isOwn = participant.id == peer.id.rawValue
        let data = ParticipantMetadata.parts(of: participant.metadata)
        let subscribers = subscribed.map { JSONValue.object(["streamId": .string($0)]) }
        // A peer's second stream has a connection that nobody has prepared.
        let grant = isOwn ? members[peer.id]?.grant : nil
        return .object([
            "id": id, "connectionId": id, "object": "connection", "type": "WEBRTC",
            "status": "active", "sessionId": .string(host.room.id.rawValue),
            "createdAt": .integer(grant?.createdAt.milliseconds ?? participant.createdAt),
            "activeAt": .integer(participant.createdAt), "location": "unknown", "ip": .null,
            "platform": "unknown", "token": grant.map { .string($0.address) } ?? .null,
            "clientData": .string(data.client),
            "serverData": .string(data.server),
            "record": .bool(members[peer.id]?.isRecorded ?? true), "role": .string(role.rawValue),
            "kurentoOptions": grant?.terms.kurentoOptions ?? .null,
            "customIceServers": .array(grant?.terms.customIceServers ?? []),
            "publishers": .array(participant.stream.map { [$0.published] } ?? []),
            "subscribers": .array(isOwn ? subscribers : []),
        ])
    }

    /// Puts out the peer of a connection.
    ///
    /// - Returns: whether there was one.
    func disconnect(_ id: String, in host: isolated RoomHost) async -> Bool {
        guard let peer = roster.owner(ofConnection: id) else { return false }
        do throws(RoomError) {
            try host.room.peerRemoved(peer, reason: "")
        } catch {
            return false
        }
        await host.settle()
        scribe.look(at: peer, of: self, in: host)
        return true
    }

    /// Ends a client's stream, and tells the client.
    func end(_ stream: String, of owner: PeerID, reason: String, in host: isolated RoomHost) {
        unpublishReasons[owner] = reason
        push(
            .participantUnpublished,
            [
                "connectionId": .string(owner.rawValue), "name": .string(owner.rawValue),
                "reason": .string(reason),
            ], to: owner, in: host)
        _ = try? unpublish(owner, in: host)
    }
}

extension SharedStream {
    /// In the form of the REST API.
    fileprivate var published: JSONValue {
        guard case .object(var options) = json else { return .null }
        options["id"] = nil
        options["createdAt"] = nil
        return .object([
            "streamId": .string(id), "createdAt": .integer(createdAt),
            "mediaOptions": .object(options),
        ])
    }
}
