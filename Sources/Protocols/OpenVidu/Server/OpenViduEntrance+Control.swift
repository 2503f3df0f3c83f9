public import MediaKernel
internal import RoomHost
internal import Rooms

/// What application servers see and do in a room.
extension OpenViduEntrance {
    /// The connections in the room, as the REST API shows them.
    public func connections() async -> [JSONValue] { await summary().connections }

    /// The same, and whether the room is recorded.
    public func summary() async -> (connections: [JSONValue], isRecording: Bool) {
        await inside { $0.summary(in: $1) } ?? ([], false)
    }

    /// The streams that are published.
    public func streams() async -> [PublishedStream] {
        await inside { $0.scribe.streams($0, in: $1) } ?? []
    }

    /// Puts out a participant.
    ///
    /// - Returns: whether there was one.
    public func disconnect(_ connection: String) async -> Bool {
        await inside { await $0.disconnect(connection, in: $1) } ?? false
    }

    /// What became of the end of a stream.
    public enum Unpublishing: Hashable, Sendable {
        case done
        case unknown
        /// A client of another protocol publishes it, which can only be asked.
        case foreign
    }

    /// Ends a stream.
    public func unpublish(_ stream: String) async -> Unpublishing {
        await inside { await Self.unpublish(stream, of: $0, in: $1) } ?? .unknown
    }

    /// What became of a signal.
    public enum Signalling: Hashable, Sendable {
        case sent
        case nobodyIsHere
        case unknownTarget
        case refused(String)
    }

    /// Sends a signal of an application server.
    ///
    /// - Parameter connections: the addressees; none for everybody.
    public func signal(
        to connections: [String], type: String, data: String
    ) async -> Signalling {
        await inside {
            await Self.signal(to: connections, type: type, data: data, of: $0, in: $1)
        } ?? .nobodyIsHere
    }

    /// Changes the role of a connection's peer, and whether its streams are recorded. What is nil
    /// stays.
    ///
    /// - Parameter role: of the room's policy.
    /// - Returns: whether there is such a connection.
    public func change(_ connection: String, role: String?, isRecorded: Bool?) async -> Bool {
        await inside {
            await Self.change(connection, role: role, isRecorded: isRecorded, of: $0, in: $1)
        } ?? false
    }

    /// Ends a stream.
    private static func unpublish(
        _ id: String, of sessions: OpenViduSessions, in host: isolated RoomHost
    ) async -> Unpublishing {
        guard let owner = sessions.roster.owner(of: id), owner.rawValue != id,
            sessions.scribe.streams(sessions, in: host).contains(where: { $0.id == id })
        else { return .unknown }
        guard sessions.members[owner]?.publication?.stream == id else { return .foreign }
        sessions.end(id, of: owner, reason: "forceUnpublishByServer", in: host)
        await host.settle()
        sessions.scribe.look(at: owner, of: sessions, in: host)
        return .done
    }

    /// Sends a signal of an application server.
    private static func signal(
        to connections: [String], type: String, data: String, of sessions: OpenViduSessions,
        in host: isolated RoomHost
    ) async -> Signalling {
        guard host.room.peers.hasVisible else { return .nobodyIsHere }
        var targets: [PeerID] = []
        for connection in connections {
            guard let owner = sessions.roster.owner(ofConnection: connection),
                (try? host.room.peers.visiblePeer(owner)) != nil
            else { return .unknownTarget }
            if !targets.contains(owner) { targets.append(owner) }
        }
        let type = OutgoingSignal.bareType(type)
        let audiences = targets.isEmpty ? [Audience.everybody] : targets.map(Audience.peer)
        do throws(RoomError) {
            for audience in audiences {
                let message = try host.room.operatorSpoke(
                    to: audience, type: type, body: OpaqueJSON(string: data),
                    at: host.clock.now(), wall: host.clock.wall())
                host.streaming.said(message, room: host.room.id)
            }
        } catch {
            return .refused(error.message)
        }
        sessions.scribe.signalled(
            from: nil, to: connections, type: type, data: data, sessions, in: host)
        await host.settle()
        return .sent
    }

    /// Changes the role of a connection's peer, and whether its streams are recorded.
    ///
    /// - Parameters:
    ///   - role: of the room's policy; nil for no change.
    ///   - isRecorded: nil for no change.
    /// - Returns: whether there is such a connection.
    private static func change(
        _ connection: String, role: String?, isRecorded: Bool?, of sessions: OpenViduSessions,
        in host: isolated RoomHost
    ) async -> Bool {
        guard let owner = sessions.roster.owner(ofConnection: connection),
            let peer = try? host.room.peers.visiblePeer(owner)
        else { return false }
        if let role, role != peer.role {
            // The policy has the role, and the peer is in the room.
            _ = try? host.room.peerChanged(owner, name: nil, metadata: nil, role: role)
        }
        if let isRecorded, let member = sessions.members[owner], member.isRecorded != isRecorded {
            sessions.members[owner]?.isRecorded = isRecorded
            sessions.push(
                .connectionPropertyChanged,
                ["property": "record", "newValue": .bool(isRecorded)], to: owner, in: host)
            sessions.scribe.recordingChanged(of: owner, sessions, in: host)
        }
        await host.settle()
        return true
    }
}
