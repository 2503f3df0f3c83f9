import MediaKernel

/// Limits retransmissions. Packets dropped by a full queue are requested again and again, and
/// sending them all would keep the queue full. Also, small requests must not make a server send a
/// lot.
struct RepairBudget {
    /// A share of the path's capacity.
    static let share = 0.5
    /// The assumed capacity of a path without a known limit: this multiple of the recent sending
    /// rate, so that half a second of packets can be retransmitted at once, and no less than the
    /// minimum.
    static let sentFactor = 4
    static let bitsPerSecondMinimum = 4_000_000
    /// The burst that may be sent at once.
    static let window: Duration = .milliseconds(250)

    /// Bits spent and not yet refilled.
    private var spent = 0.0
    /// Bits.
    private var maximum = 0.0
    private var refilled = Instant.zero

    /// - Parameters:
    ///   - limit: the path's capacity in bits per second; nil if no limit is known.
    ///   - sent: the recent sending rate in bits per second.
    mutating func refill(limit: Int?, sent: Int, at now: Instant) {
        let carried = limit ?? max(sent * Self.sentFactor, Self.bitsPerSecondMinimum)
        let rate = Double(carried) * Self.share
        spent = max(spent - rate * (now - refilled).inSeconds, 0)
        maximum = rate * Self.window.inSeconds
        refilled = now
    }

    /// Whether one more packet may go. It may exceed the room left, otherwise a poor path would
    /// never allow any.
    var hasRoom: Bool { spent < maximum }

    mutating func spend(bytes: Int) { spent += Double(bytes * 8) }
}
