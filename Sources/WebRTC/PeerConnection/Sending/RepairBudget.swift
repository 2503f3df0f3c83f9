import MediaKernel

/// How much may be sent again. What a full queue drops is asked for again and again, and answering it
/// all would keep the queue full; and nobody may have a server send much for the little that it
/// takes to ask.
struct RepairBudget {
    /// Of what the way carries.
    static let share = 0.5
    /// What a way is taken to carry that has shown no limit: so many times what was sent lately, which
    /// lets all that was sent in half a second be sent again at once, and no less than this.
    static let sentFactor = 4
    static let bitsPerSecondMinimum = 4_000_000
    /// So much of it may be sent at once.
    static let window: Duration = .milliseconds(250)

    /// Bits that are spent and have not been made up for yet.
    private var spent = 0.0
    /// Bits.
    private var maximum = 0.0
    private var refilled = Instant.zero

    /// - Parameters:
    ///   - limit: bits per second that the way carries; nil where it has shown no limit.
    ///   - sent: bits per second that went over it lately.
    mutating func refill(limit: Int?, sent: Int, at now: Instant) {
        let carried = limit ?? max(sent * Self.sentFactor, Self.bitsPerSecondMinimum)
        let rate = Double(carried) * Self.share
        spent = max(spent - rate * (now - refilled).inSeconds, 0)
        maximum = rate * Self.window.inSeconds
        refilled = now
    }

    /// Whether one more may go. The last one may be more than there is room for, or over a poor way
    /// none would ever go.
    var hasRoom: Bool { spent < maximum }

    mutating func spend(bytes: Int) { spent += Double(bytes * 8) }
}
