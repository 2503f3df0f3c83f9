import MediaKernel

/// Texts for the data channels of a room's peers, sent some at a time.
///
/// A broadcast goes to each peer over an association of its own. For a hundred peers at once that
/// takes as long as a thousand audio packets, which would have to wait. So it is spread over a few
/// turns of the loop, between which packets are handled. Every peer gets its texts in order and
/// none is lost. A text to one peer goes out at once if none is waiting. Pure.
struct TextQueue {
    struct QueuedText: Hashable {
        var peer: PeerID
        var text: String
    }

    /// The number of turns in which one text to each peer goes out.
    static let turns = 20
    /// The least number per turn, however few peers there are.
    static let sliceMinimum = 4
    /// The least part of the backlog per turn, so that a flood does not delay all texts.
    static let backlogPart = 50
    /// The most waiting texts. Beyond that, the oldest is sent at once.
    static let waitingMaximum = 16_384

    private var waiting = BoundedQueue<QueuedText>(maximum: waitingMaximum)
    /// How many more texts may go in this turn.
    private var left = sliceMinimum

    /// - Returns: a text to send at once, because too many wait.
    mutating func add(_ text: QueuedText) -> QueuedText? {
        let first = waiting.isFull ? waiting.popFirst() : nil
        waiting.append(text)
        return first
    }

    mutating func beginTurn(peers: Int) {
        left = max(
            (peers + Self.turns - 1) / Self.turns, Self.sliceMinimum,
            waiting.count / Self.backlogPart)
    }

    /// The next text of this turn.
    mutating func next() -> QueuedText? {
        guard left > 0, let text = waiting.popFirst() else { return nil }
        left -= 1
        return text
    }
}
