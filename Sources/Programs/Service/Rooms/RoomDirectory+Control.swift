public import ControlAPI
public import MediaKernel
import RoomHost
public import Rooms

/// The control API's access to occupied rooms.
extension RoomDirectory: RoomControl {
    public func activeRoom(_ id: RoomID) async -> ActiveRoom? {
        guard let snapshot = await host(of: id)?.snapshot(), let session = snapshot.session,
            !snapshot.peers.isEmpty
        else { return nil }
        return ActiveRoom(
            id: id, name: snapshot.name, session: session, peers: snapshot.peers,
            qualities: snapshot.qualities)
    }

    public func peer(_ id: PeerID, in room: RoomID) async throws(APIError) -> Peer {
        let host = try await activeHost(of: room)
        return try await ruled { () async throws(RoomError) in try await host.peer(id) }
    }

    public func send(
        _ body: OpaqueJSON, type: String, to audience: Audience, in room: RoomID
    ) async throws(APIError) {
        let host = try await activeHost(of: room)
        try await ruled { () async throws(RoomError) in
            try await host.send(body, type: type, to: audience)
        }
    }

    public func change(
        _ peer: PeerID, in room: RoomID, name: String?, metadata: String?, role: String?
    ) async throws(APIError) -> Peer {
        let host = try await activeHost(of: room)
        return try await ruled { () async throws(RoomError) in
            try await host.change(peer, name: name, metadata: metadata, role: role)
        }
    }

    public func remove(
        _ peer: PeerID, from room: RoomID, reason: String
    ) async throws(APIError) {
        let host = try await occupiedHost(of: room)
        try await ruled { () async throws(RoomError) in
            try await host.remove(peer, reason: reason)
        }
    }

    public func remove(
        role: String, from room: RoomID, reason: String
    ) async throws(APIError) {
        let host = try await occupiedHost(of: room)
        try await ruled { () async throws(RoomError) in
            try await host.remove(role: role, reason: reason)
        }
    }

    public func end(_ room: RoomID, isLocked: Bool, reason: String) async throws(APIError) {
        let host = try await occupiedHost(of: room)
        if isLocked {
            // Saved before the response, and before peers are removed who might rejoin at once.
            await registry.locked(room)
            await host.setLocked(true)
        }
        await host.end(reason: reason)
    }

    private func activeHost(of id: RoomID) async throws(APIError) -> RoomHost {
        try await host(of: id) { await !$0.snapshot().peers.isEmpty }
    }

    /// Like `activeHost`, but disconnected peers who may come back also count.
    private func occupiedHost(of id: RoomID) async throws(APIError) -> RoomHost {
        try await host(of: id) { await $0.isOccupied }
    }

    private func host(
        of id: RoomID, where isMeant: (RoomHost) async -> Bool
    ) async throws(APIError) -> RoomHost {
        guard let found = host(of: id), await isMeant(found) else {
            throw .inactiveRoom(id)
        }
        return found
    }

    private func ruled<Value: Sendable>(
        _ body: () async throws(RoomError) -> Value
    ) async throws(APIError) -> Value {
        do {
            return try await body()
        } catch {
            throw APIError(error)
        }
    }
}
