import MediaClient

/// A peer in a room of either server, for as long as it stays.
protocol Attendance: Sendable {
    /// Joins, publishes, and receives all other peers.
    ///
    /// - Parameters:
    ///   - makeObserver: runs on the media loop.
    ///   - joined: called when the server has accepted the peer and its tracks.
    /// - Throws: if the server refuses or is lost; returns only when cancelled.
    func attend(
        _ member: Member, makeObserver: @escaping @Sendable () -> any ClientMediaObserver,
        joined: @escaping @Sendable () -> Void
    ) async throws
}
