import MediaKernel
import Streams

/// What is known of the rooms that somebody is in, as far as streams depend on it.
struct RoomWatch {
    private var occupancies: [RoomID: RoomOccupancy] = [:]
    private var autoStarters: [AutoStartKey: AutoStarter] = [:]
    /// Rooms in which streams begin by themselves at the moment, with the latest look that comes
    /// after that; nil as long as there is none. Also of rooms that nobody is in any more.
    private var looks: [RoomID: RoomOccupancy?] = [:]

    func isEmpty(_ room: RoomID) -> Bool { occupancies[room] == nil }

    /// Whether nobody publishes anything.
    func isIdle(_ room: RoomID) -> Bool { occupancies[room]?.publishers ?? 0 == 0 }

    mutating func seen(_ room: RoomID, _ occupancy: RoomOccupancy) {
        occupancies[room] = occupancy.isEmpty ? nil : occupancy
    }

    /// - Returns: whether nobody works off the room's looks yet.
    mutating func looked(at room: RoomID, _ occupancy: RoomOccupancy) -> Bool {
        looks.updateValue(occupancy, forKey: room) == nil
    }

    /// The room's latest look; nil when all are worked off.
    mutating func nextLook(at room: RoomID) -> RoomOccupancy? {
        guard let look = looks[room] ?? nil else {
            looks.removeValue(forKey: room)
            return nil
        }
        looks.updateValue(nil, forKey: room)
        return look
    }

    /// Whether a stream is to begin by itself now.
    mutating func starts(
        _ key: AutoStartKey, on condition: AutoStart, _ occupancy: RoomOccupancy
    ) -> Bool {
        var starter = autoStarters[key] ?? AutoStarter(condition)
        let starts = starter.seen(occupancy)
        autoStarters[key] = occupancy.isEmpty ? nil : starter
        return starts
    }

    /// A stream that was to begin by itself did not.
    ///
    /// - Returns: whether that is new.
    mutating func refused(_ key: AutoStartKey) -> Bool {
        let isNew = autoStarters[key]?.isRefused == false
        autoStarters[key]?.refused()
        return isNew
    }

    /// Somebody stopped the stream, and does not want it back.
    mutating func stopped(_ key: AutoStartKey) { autoStarters[key]?.stopped() }
}
