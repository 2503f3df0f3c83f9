/// The offers of the publish connection: each is answered before the next one is made.
struct PublishOffers {
    private enum State { case stable, outstanding, outstandingAndStale }

    private var state = State.stable
    private var needsRestart = false

    /// - Returns: whether the offer to make now restarts ICE; nil where one is outstanding, which
    ///   another one will follow.
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

    /// The outstanding offer will not be answered any more.
    ///
    /// - Parameter connection: whether its connection is lost as well, and not just signalling.
    mutating func lost(connection: Bool) {
        state = .stable
        if connection { needsRestart = true }
    }
}
