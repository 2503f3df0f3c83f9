import MediaKernel

/// The starts that wait for a disk. Their streams are not on air yet, and count as if they were:
/// two starts at once must not both get the last place.
struct StreamStarts {
    /// Who waits until the start of a room is over.
    private var waiting: [RoomID: [CheckedContinuation<Void, Never>]] = [:]
    /// Streams that were admitted and are in no file yet.
    private(set) var reserved = 0

    /// One start of a room at a time: the next one may find what it asks for on air.
    func isBusy(_ room: RoomID) -> Bool { waiting[room] != nil }

    /// - Parameter count: streams that were admitted.
    mutating func begin(_ room: RoomID, _ count: Int) {
        precondition(waiting[room] == nil, "a room has one start at a time")
        waiting[room] = []
        reserved += count
    }

    /// A stream that was admitted is on air.
    mutating func inserted() { reserved -= 1 }

    /// - Parameter left: streams that were admitted and did not go on air.
    mutating func end(_ room: RoomID, left: Int) {
        reserved -= left
        for continuation in waiting.removeValue(forKey: room) ?? [] { continuation.resume() }
    }

    mutating func wait(for room: RoomID, _ continuation: CheckedContinuation<Void, Never>) {
        guard isBusy(room) else { return continuation.resume() }
        waiting[room]?.append(continuation)
    }
}
