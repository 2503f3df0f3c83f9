public import ControlAPI
public import MediaKernel
public import Rooms
import Signalling

/// What the control API sees of rooms in which somebody is, and does to them.
extension RoomDirectory: RoomControl {
    public func activeRoom(_ id: RoomID) async -> ActiveRoom? {
        guard let snapshot = await signalling(of: id)?.snapshot(), let session = snapshot.session,
            !snapshot.peers.isEmpty
        else { return nil }
        return ActiveRoom(
            id: id, name: snapshot.name, session: session, peers: snapshot.peers)
    }

    public func peer(_ id: PeerID, in room: RoomID) async throws(APIError) -> Peer {
        let signalling = try await activeSignalling(of: room)
        return try await ruled { () async throws(RoomError) in try await signalling.peer(id) }
    }

    public func send(
        _ body: OpaqueJSON, type: String, to audience: Audience, in room: RoomID
    ) async throws(APIError) {
        let signalling = try await activeSignalling(of: room)
        try await ruled { () async throws(RoomError) in
            try await signalling.send(body, type: type, to: audience)
        }
    }

    public func change(
        _ peer: PeerID, in room: RoomID, name: String?, metadata: String?, role: String?
    ) async throws(APIError) -> Peer {
        let signalling = try await activeSignalling(of: room)
        return try await ruled { () async throws(RoomError) in
            try await signalling.change(peer, name: name, metadata: metadata, role: role)
        }
    }

    public func remove(
        _ peer: PeerID, from room: RoomID, reason: String
    ) async throws(APIError) {
        let signalling = try await occupiedSignalling(of: room)
        try await ruled { () async throws(RoomError) in
            try await signalling.remove(peer, reason: reason)
        }
    }

    public func remove(
        role: String, from room: RoomID, reason: String
    ) async throws(APIError) {
        let signalling = try await occupiedSignalling(of: room)
        try await ruled { () async throws(RoomError) in
            try await signalling.remove(role: role, reason: reason)
        }
    }

    public func end(_ room: RoomID, isLocked: Bool, reason: String) async throws(APIError) {
        let signalling = try await occupiedSignalling(of: room)
        if isLocked {
            // Written down before it is answered, and before anybody is put out who might come
            // back at once.
            await registry.locked(room)
            await signalling.setLocked(true)
        }
        await signalling.end(reason: reason)
    }

    private func activeSignalling(of id: RoomID) async throws(APIError) -> RoomSignalling {
        try await signalling(of: id) { await !$0.snapshot().peers.isEmpty }
    }

    /// The same where those count too who are taken for gone and may come back.
    private func occupiedSignalling(of id: RoomID) async throws(APIError) -> RoomSignalling {
        try await signalling(of: id) { await $0.isOccupied }
    }

    private func signalling(
        of id: RoomID, where isMeant: (RoomSignalling) async -> Bool
    ) async throws(APIError) -> RoomSignalling {
        guard let signalling = signalling(of: id), await isMeant(signalling) else {
            throw .inactiveRoom(id)
        }
        return signalling
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
