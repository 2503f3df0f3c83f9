import MediaKernel
import Streams

/// The occupied rooms, as far as streams depend on them.
struct RoomWatch {
    private var occupancies: [RoomID: RoomOccupancy] = [:]
    var autoStarts = AutoStarters<AutoStartKey>()
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
}
