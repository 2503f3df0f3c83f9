internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms

/// Joining, coming back and leaving.
extension OpenViduSessions {

    /// See ``OpenViduEntrance/join(_:by:socket:)``.
    func join(
        _ call: JoinCall, by caller: OpenViduCaller, socket: any SignallingSocket,
        in host: isolated RoomHost
    ) async -> OpenViduPlace? {
        let now = host.clock.now()
        let id =
            caller.isHidden
            ? ConnectionName.recorder
            : caller.grant?.connectionID ?? roster.makeIdentifier("con_", 10)
        let peer = PeerID(id)
        let rpcSession = "\(Hexadecimal.identifier()).\(host.room.id)"
        do throws(OpenViduError) {
            try await admit(call, as: id, by: caller, in: host)
        } catch {
            host.log(.notice, "client refused", peer, ["reason": "\(error.message)"])
            await host.settle()
            _ = await socket.send(OpenViduLobby.refusal(error, of: call))
            return nil
        }
        let connection = connection(of: peer, over: socket, at: now)
        connections[connection.place] = connection
        members[peer] = Member(
            peer: peer, owner: TokenOwner(userID: caller.userID, tokenID: caller.tokenID),
            rpcSession: rpcSession, place: connection.place, isRecorded: caller.terms.isRecorded,
            grant: caller.grant)
        returning[rpcSession] = peer
        let metadata = ParticipantMetadata.joined(call.metadata, caller.terms.data)
        roster.introduce(peer, metadata: metadata, at: host.clock.wall())
        host.log(.info, "peer joined", peer, ["role": "\(caller.role)"])
        if let callID = call.id {
            let welcome = welcome(peer, call, caller, metadata: metadata, in: host)
            enqueue(
                OpenViduFrame.result(welcome, to: callID, rpcSession: rpcSession),
                on: connection.place, in: host)
        }
        await host.releaseHeld(for: peer)
        await host.settle()
        scribe.look(at: peer, of: self, in: host)
        return connection.place
    }

    private func admit(
        _ call: JoinCall, as id: String, by caller: OpenViduCaller, in host: isolated RoomHost
    ) async throws(OpenViduError) {
        guard call.session.isEmpty || call.session == host.room.id.rawValue else {
            throw .unauthorized("the token is for another session")
        }
        guard connections.count < limits.connections else {
            throw OpenViduError(.tooManyConnections(maximum: limits.connections))
        }
        let bytes = call.metadata.utf8.count + caller.terms.data.utf8.count
        guard bytes <= RoomLimits.metadataBytes else {
            throw .metadata(
                "the metadata has \(bytes) of at most \(RoomLimits.metadataBytes) bytes")
        }
        if caller.isHidden, members[PeerID(id)]?.hasLostItsPlace(at: host.clock.now()) == true {
            host.log(.info, "another recorder takes the place of a lost one", PeerID(id))
            host.room.left(PeerID(id), .connectionClosed)
            await host.settle()
        }
        let name = DisplayName.found(in: call.metadata, maximum: RoomLimits.nameScalars)
        let request = JoinRequest(
            peer: PeerID(id), userID: caller.userID, tokenID: caller.tokenID, role: caller.role,
            name: name ?? caller.userID, metadata: call.metadata, isHidden: caller.isHidden)
        do throws(RoomHostError) {
            _ = try await host.join(
                RoomHost.Entry(request, nil, view: .chosen([:]), mutesItself: false))
        } catch {
            // All recorders have one id.
            throw error == .busy && caller.isHidden
                ? OpenViduError.recorderExists : OpenViduError(error)
        }
    }

    /// The result of `joinRoom`.
    private func welcome(
        _ peer: PeerID, _ call: JoinCall, _ caller: OpenViduCaller, metadata: String,
        in host: isolated RoomHost
    ) -> [String: JSONValue] {
        var others: [JSONValue] = []
        for other in host.room.peers.listed(for: peer) {
            let shown = participants(of: other.id, shownTo: peer, in: host)
            members[peer]?.told[other.id] = shown
            others += shown.map(\.json)
        }
        let role = host.room.policy.role(caller.role).map { OpenViduRole($0) } ?? .subscriber
        var result: [String: JSONValue] = [
            "id": .string(peer.rawValue), "finalUserId": .string(caller.userID),
            "createdAt": .integer(host.clock.wall().milliseconds),
            "metadata": .string(metadata), "value": .array(others),
            "session": .string(host.room.id.rawValue),
            // Clients compare it with their own.
            "version": .string(call.version.isEmpty ? "2.20.0" : call.version),
            "mediaServer": "kurento", "videoSimulcast": .bool(false),
            "record": .bool(caller.terms.isRecorded),
            "role": .string(role.rawValue), "life": .integer(-1),
        ]
        let relays = caller.relays.map { relay in
            JSONValue.object([
                "url": .string(relay.url), "username": .string(relay.username),
                "credential": .string(relay.credential),
            ])
        }
        let custom = caller.terms.customIceServers
        let servers = custom.isEmpty ? relays : custom
        if !servers.isEmpty { result["customIceServers"] = .array(servers) }
        result.merge(CoturnMembers.of(servers)) { $1 }
        if hearsOfRecordings(peer, in: host), host.room.streaming.isRecorded {
            let label = host.room.recordingLabel
            result["recordingId"] = .string(label.id)
            result["recordingName"] = .string(label.name)
            members[peer]?.recording = label
        }
        return result
    }

    /// See ``OpenViduEntrance/comeBack(_:socket:)``.
    func comeBack(
        _ call: ReturnCall, socket: any SignallingSocket, in host: isolated RoomHost
    ) async -> OpenViduPlace? {
        let now = host.clock.now()
        let member = returning[call.rpcSession].flatMap { members[$0] }
        guard let member, host.room.peers[member.peer]?.hasJoined ?? false else {
            _ = await socket.send(OpenViduLobby.refusal(of: call))
            return nil
        }
        let connection = connection(of: member.peer, over: socket, at: now)
        if let old = member.place.flatMap({ connections[$0] }) {
            drop(
                old, code: CloseCode.normal, reason: "replaced by a newer connection", in: host)
        }
        connections[connection.place] = connection
        members[member.peer]?.place = connection.place
        members[member.peer]?.lostAt = nil
        if let id = call.id {
            let result: [String: JSONValue] = ["value": "reconnection successful"]
            enqueue(
                OpenViduFrame.result(result, to: id, rpcSession: member.rpcSession),
                on: connection.place, in: host)
        }
        host.log(.info, "peer returned", member.peer)
        // It is in the room, and its owner is the one it joined with.
        try? host.room.connectionReturned(member.peer, of: member.owner, at: now)
        refreshAll(for: member.peer, in: host)
        await host.settle()
        return connection.place
    }
}
