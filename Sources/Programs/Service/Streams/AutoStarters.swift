import Streams

/// The automatic starts of several rooms. A room that is empty is forgotten.
struct AutoStarters<Key: Hashable & Sendable>: Sendable {
    private var starters: [Key: AutoStarter] = [:]

    /// Whether to start now.
    mutating func starts(
        _ key: Key, on condition: AutoStart, _ occupancy: RoomOccupancy
    ) -> Bool {
        var starter = starters[key] ?? AutoStarter(condition)
        let starts = starter.seen(occupancy)
        starters[key] = occupancy.isEmpty ? nil : starter
        return starts
    }

    /// An automatic start was refused.
    ///
    /// - Returns: whether this is the first refusal.
    mutating func refused(_ key: Key) -> Bool {
        let isNew = starters[key]?.isRefused == false
        starters[key]?.refused()
        return isNew
    }

    /// Another stream is in the way, which is no refusal.
    mutating func postponed(_ key: Key) { starters[key]?.postponed() }

    /// Somebody stopped the stream, so it must not restart.
    mutating func stopped(_ key: Key) { starters[key]?.stopped() }

    /// Nothing is to start by itself.
    mutating func forget(_ key: Key) { starters[key] = nil }
}
