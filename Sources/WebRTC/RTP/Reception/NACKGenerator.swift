public import MediaKernel

/// Detects lost packets of one stream and decides when to request them again. RFC 4585 sect. 6.2.1.
///
/// A packet is requested `reorderDelay` after the gap shows (it may only be late), then once per
/// round trip until it arrives, at most `triesMaximum` times. After `abandonAfter`, `takeAbandoned`
/// reports it: the sender may be a server that has to request it itself. Feed every packet,
/// including repaired ones: the round trip is measured from their delay.
public struct NACKGenerator: Sendable {
    public struct Configuration: Hashable, Sendable {
        /// How long a gap may be mere reordering.
        public var reorderDelay: Duration = .milliseconds(10)
        public var triesMaximum = 10
        /// How long to wait for a packet, at least three round trips.
        public var abandonAfter: Duration = .milliseconds(400)
        /// The most packets waited for at once; beyond that the oldest are abandoned.
        public var outstandingMaximum = 1000
        /// The round trip until it has been measured.
        public var assumedRoundTrip: Duration = .milliseconds(100)

        public init() {}
    }

    fileprivate struct Missing: Sendable {
        let number: Int64
        let since: Instant
        var tries = 0
        var firstTry: Instant?
        var nextTry: Instant
    }

    /// Bounds of the interval between two requests for one packet.
    static let retryIntervals: ClosedRange<Duration> = .milliseconds(20) ... .milliseconds(500)
    /// The longest wait for a packet, however long the round trip.
    static let abandonAfterMaximum: Duration = .seconds(1)

    private var roundTrip: RoundTripEstimator
    public let configuration: Configuration
    private var unwrapper = SequenceUnwrapper()
    private var newest: Int64?
    /// In ascending order.
    private var missing: [Missing] = []
    private var abandoned: [Int64] = []
    /// No later than the earliest event; earlier is harmless.
    private var due: Instant = .distantFuture

    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        roundTrip = RoundTripEstimator(assumed: configuration.assumedRoundTrip)
    }

    /// When `poll` next has work; nil while nothing is missing.
    public var nextDeadline: Instant? { missing.isEmpty ? nil : due }

    /// The number of packets waited for.
    public var outstandingCount: Int { missing.count }

    public mutating func received(_ number: SequenceNumber, at now: Instant) {
        received(extended: unwrapper.unwrap(number), at: now)
    }

    /// The numbers to ask for now, in ascending order.
    public mutating func poll(at now: Instant) -> [SequenceNumber] {
        guard !missing.isEmpty, due <= now else { return [] }
        var asked: [SequenceNumber] = []
        var kept: [Missing] = []
        let interval = retryInterval
        let patience = self.patience
        due = .distantFuture
        for var entry in missing {
            guard now - entry.since < patience else {
                abandon(entry.number)
                continue
            }
            if entry.nextTry <= now {
                entry.tries += 1
                entry.firstTry = entry.firstTry ?? now
                entry.nextTry =
                    entry.tries < configuration.triesMaximum ? now + interval : .distantFuture
                asked.append(SequenceNumber(extended: entry.number))
            }
            due = min(due, entry.nextTry, entry.since + patience)
            kept.append(entry)
        }
        missing = kept
        return asked
    }

    private var retryInterval: Duration {
        let range = Self.retryIntervals
        return min(max(roundTrip.timeout, range.lowerBound), range.upperBound)
    }

    private var patience: Duration {
        max(configuration.abandonAfter, min(roundTrip.smoothed * 3, Self.abandonAfterMaximum))
    }

    private mutating func abandon(_ number: Int64) {
        abandoned.append(number)
        let excess = abandoned.count - configuration.outstandingMaximum
        if excess > 0 { abandoned.removeFirst(excess) }
    }
}

// MARK: For receivers that have unwrapped the numbers already

extension NACKGenerator {
    mutating func received(extended number: Int64, at now: Instant) {
        guard let newest else {
            self.newest = number
            return
        }
        guard number > newest else {
            if let index = missing.index(waitingFor: number) {
                let found = missing.remove(at: index)
                if let firstTry = found.firstTry {
                    roundTrip.answered(after: now - firstTry, requests: found.tries)
                }
            }
            return
        }
        self.newest = number
        guard number - newest > 1 else { return }
        let firstWaitedFor = max(
            newest + 1, number - Int64(configuration.outstandingMaximum))
        // One number stands for all those never waited for, the last: the stream cannot get past
        // it.
        if firstWaitedFor > newest + 1 { abandon(firstWaitedFor - 1) }
        let nextTry = now + configuration.reorderDelay
        for lost in firstWaitedFor..<number {
            missing.append(Missing(number: lost, since: now, nextTry: nextTry))
        }
        let excess = missing.count - configuration.outstandingMaximum
        if excess > 0 {
            for entry in missing.prefix(excess) { abandon(entry.number) }
            missing.removeFirst(excess)
        }
        due = min(due, nextTry)
    }

    /// The extended numbers given up since the last call; at most `outstandingMaximum`, keeping the
    /// newest. For a hole larger than that, its newest abandoned number stands for the rest.
    mutating func takeAbandoned() -> [Int64] {
        guard !abandoned.isEmpty else { return [] }
        defer { abandoned = [] }
        return abandoned
    }

    /// Forgets the missing packets; the next packet received counts as the first.
    mutating func restart() {
        missing = []
        abandoned = []
        newest = nil
        due = .distantFuture
    }
}

extension [NACKGenerator.Missing] {
    /// The index of this number's entry, by binary search.
    fileprivate func index(waitingFor number: Int64) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].number == number ? low : nil
    }
}
