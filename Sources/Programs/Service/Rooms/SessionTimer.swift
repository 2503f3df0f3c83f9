import MediaKernel

/// How long a room's session has gone on, as far as it was looked at.
struct SessionTimer {
    private var session: SessionID?
    private var since: Instant = .zero

    /// Whether the session that goes on now has lasted as long as it may.
    ///
    /// - Parameters:
    ///   - session: nil while there is none.
    ///   - maximum: nil for a session without an end.
    mutating func isOver(_ session: SessionID?, maximum: Duration?, at now: Instant) -> Bool {
        if session != self.session {
            self.session = session
            since = now
        }
        guard session != nil, let maximum else { return false }
        return now - since >= maximum
    }
}
