import MediaClient

/// A peer in a room of whichever server, for as long as it stays.
protocol Attendance: Sendable {
    /// Joins, publishes, and receives everybody.
    ///
    /// - Parameters:
    ///   - makeObserver: runs on the media loop.
    ///   - joined: called when the server has taken the peer and what it publishes.
    /// - Throws: when the server refuses or is lost; returns only when cancelled.
    func attend(
        _ member: Member, makeObserver: @escaping @Sendable () -> any ClientMediaObserver,
        joined: @escaping @Sendable () -> Void
    ) async throws
}
