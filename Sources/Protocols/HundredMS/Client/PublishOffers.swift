/// The offers of the publish connection: one must be answered before the next is made.
struct PublishOffers {
    private enum State { case stable, outstanding, outstandingAndStale }

    private var state = State.stable
    private var needsRestart = false

    /// - Returns: whether the offer to make now restarts ICE; nil while one is outstanding, after
    ///   which another one will follow.
    mutating func begin() -> Bool? {
        guard state == .stable else {
            state = .outstandingAndStale
            return nil
        }
        state = .outstanding
        defer { needsRestart = false }
        return needsRestart
    }

    /// - Returns: whether another offer is due.
    mutating func answered() -> Bool {
        defer { state = .stable }
        return state == .outstandingAndStale
    }

    /// The outstanding offer will not be answered.
    ///
    /// - Parameter connection: whether the media connection is lost too, not only signalling.
    mutating func lost(connection: Bool) {
        state = .stable
        if connection { needsRestart = true }
    }
}
