import MediaKernel

/// How much may be sent again over a way that is known to carry only so much. What a full queue
/// drops is asked for again and again, and answering it all would keep the queue full.
struct RepairBudget {
    /// Of what the way carries.
    static let share = 0.5
    /// So much of it may be sent at once.
    static let window: Duration = .milliseconds(250)

    /// Bits that are spent and have not been made up for yet.
    private var spent = 0.0
    /// Bits; nil for no limit.
    private var maximum: Double?
    private var refilled = Instant.zero

    /// - Parameter bitsPerSecond: what the way carries; nil where it has shown no limit.
    mutating func refill(bitsPerSecond: Int?, at now: Instant) {
        let rate = bitsPerSecond.map { Double($0) * Self.share }
        spent = rate.map { max(spent - $0 * (now - refilled).inSeconds, 0) } ?? 0
        maximum = rate.map { $0 * Self.window.inSeconds }
        refilled = now
    }

    /// Whether one more may go. The last one may be more than there is room for, or over a poor way
    /// none would ever go.
    var hasRoom: Bool { maximum.map { spent < $0 } ?? true }

    mutating func spend(bytes: Int) { spent += Double(bytes * 8) }
}
