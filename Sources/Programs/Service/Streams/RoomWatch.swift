import MediaKernel
import Streams

/// The occupied rooms, as far as streams depend on them.
struct RoomWatch {
    private var occupancies: [RoomID: RoomOccupancy] = [:]
    private var autoStarters: [AutoStartKey: AutoStarter] = [:]
    /// Rooms with an automatic start in progress, with the latest occupancy seen since; nil if
    /// there is none. Includes rooms that are empty by now.
    private var looks: [RoomID: RoomOccupancy?] = [:]

    func isEmpty(_ room: RoomID) -> Bool { occupancies[room] == nil }

    /// Whether nobody publishes in the room.
    func isIdle(_ room: RoomID) -> Bool { occupancies[room]?.publishers ?? 0 == 0 }

    mutating func seen(_ room: RoomID, _ occupancy: RoomOccupancy) {
        occupancies[room] = occupancy.isEmpty ? nil : occupancy
    }

    /// - Returns: whether nobody processes the room's looks yet.
    mutating func looked(at room: RoomID, _ occupancy: RoomOccupancy) -> Bool {
        looks.updateValue(occupancy, forKey: room) == nil
    }

    /// The room's latest look; nil when all are processed.
    mutating func nextLook(at room: RoomID) -> RoomOccupancy? {
        guard let look = looks[room] ?? nil else {
            looks.removeValue(forKey: room)
            return nil
        }
        looks.updateValue(nil, forKey: room)
        return look
    }

    /// Whether to start a stream automatically now.
    mutating func starts(
        _ key: AutoStartKey, on condition: AutoStart, _ occupancy: RoomOccupancy
    ) -> Bool {
        var starter = autoStarters[key] ?? AutoStarter(condition)
        let starts = starter.seen(occupancy)
        autoStarters[key] = occupancy.isEmpty ? nil : starter
        return starts
    }

    /// An automatic start was refused.
    ///
    /// - Returns: whether this is the first refusal.
    mutating func refused(_ key: AutoStartKey) -> Bool {
        let isNew = autoStarters[key]?.isRefused == false
        autoStarters[key]?.refused()
        return isNew
    }

    /// Somebody stopped the stream, so it must not restart.
    mutating func stopped(_ key: AutoStartKey) { autoStarters[key]?.stopped() }
}
