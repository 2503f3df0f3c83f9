import MediaKernel

/// Measures how long a room's session has lasted since it was first seen.
struct SessionTimer {
    private var session: SessionID?
    private var since: Instant = .zero

    /// Whether the current session has reached its maximal duration.
    ///
    /// - Parameters:
    ///   - session: nil if there is none.
    ///   - maximum: nil for no limit.
    mutating func isOver(_ session: SessionID?, maximum: Duration?, at now: Instant) -> Bool {
        if session != self.session {
            self.session = session
            since = now
        }
        guard session != nil, let maximum else { return false }
        return now - since >= maximum
    }
}
