import MediaKernel

/// Texts on their way to the data channels of a room's peers, dealt out some at a time.
///
/// What all are told goes to each through an association of its own. For a hundred at once that
/// takes as long as a thousand packets of sound do, which would wait. So it takes a few turns of
/// the loop, between which packets come and go. Every peer gets its texts in order, none is lost,
/// and what one peer is told while nothing waits goes at once. Pure.
struct TextQueue {
    struct QueuedText: Hashable {
        var peer: PeerID
        var text: String
    }

    /// Turns in which one text to each peer goes out.
    static let turns = 20
    /// Of one turn, however few peers there are.
    static let sliceMinimum = 4
    /// Of a turn at least that part of what waits, so that a flood does not make all late.
    static let backlogPart = 50
    /// So many wait; where there are more, the first go at once.
    static let waitingMaximum = 16_384

    private var waiting = BoundedQueue<QueuedText>(maximum: waitingMaximum)
    /// How many more go in this turn.
    private var left = sliceMinimum

    /// - Returns: one that has to go first, since too many wait.
    mutating func add(_ letter: QueuedText) -> QueuedText? {
        let first = waiting.isFull ? waiting.popFirst() : nil
        waiting.append(letter)
        return first
    }

    mutating func beginTurn(peers: Int) {
        left = max(
            (peers + Self.turns - 1) / Self.turns, Self.sliceMinimum,
            waiting.count / Self.backlogPart)
    }

    /// The next one of this turn.
    mutating func next() -> QueuedText? {
        guard left > 0, let letter = waiting.popFirst() else { return nil }
        left -= 1
        return letter
    }
}
