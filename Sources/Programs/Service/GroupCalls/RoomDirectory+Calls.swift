import ControlAPI
import GroupCalls
import MediaKernel
import RoomHost
import Rooms
import Stage
import Streams

extension RoomDirectory: CallRooms {
    func visibleRoles(of room: RoomID) async throws -> [String] {
        try await policy(of: room).visibleRoleNames
    }

    func isConnected(_ user: String) -> Bool { !whereabouts.rooms(of: user).isEmpty }

    func tell(_ notice: Notice, in room: RoomID) async { await host(of: room)?.tell(notice) }

    func tell(_ notice: Notice, to user: String) async -> Bool {
        var isTold = false
        for room in whereabouts.rooms(of: user) {
            guard let host = host(of: room) else { continue }
            isTold = await host.tell(notice, to: user) || isTold
        }
        return isTold
    }

    func close(_ room: RoomID, by peer: PeerID?, telling notice: Notice) async {
        // A room being created may have been looked up before the deletion.
        await awaitMaking(of: room)
        await host(of: room)?.close(by: peer, telling: notice, reason: "the room was deleted")
    }
}

extension RoomPolicy {
    /// The policy of a room for that call; nil for an ordinary room.
    func fitted(to call: GroupCall?) -> RoomPolicy {
        guard let call else { return self }
        var fitted = self
        // Bots fetch nothing from other hosts; a layout that names one would be refused.
        if let image = call.defaultImage, streams.pictureHosts.allowed(image) != nil {
            fitted.streams.layout.defaultPicture = image
        }
        guard !call.type.takesPictures else { return fitted }
        fitted.policy = policy.soundOnly
        fitted.streams.automatic.recordsSoundAlone = true
        return fitted
    }
}

extension RoomLimits {
    /// The limits of a room for that call; nil for an ordinary room.
    func fitted(to call: GroupCall?) -> RoomLimits {
        guard let type = call?.type else { return self }
        var limits = self
        limits.visiblePeers = min(type.participantsMaximum, visiblePeers ?? peers)
        limits.absence = min(CallType.reconnection, absence)
        return limits
    }
}
