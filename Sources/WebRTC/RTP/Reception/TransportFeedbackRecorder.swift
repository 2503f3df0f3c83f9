public import MediaKernel

/// Records when each packet of a transport arrived and builds the feedback messages.
/// draft-holmer-rmcat-transport-wide-cc-extensions-01 sect. 2.
///
/// A message is due 100 ms after the first packet it reports on, or 50 ms if many have arrived. A
/// packet that arrives after it was reported missing is reported again, with all that follow.
public struct TransportFeedbackRecorder: Sendable {
    static let interval: Duration = .milliseconds(100)
    static let busyInterval: Duration = .milliseconds(50)
    /// This many unreported packets make the transport busy.
    static let busyPackets = 25
    /// The most statuses in one message: at two bytes each at worst, it fits a datagram.
    static let statusesMaximum = 400
    /// Numbers remembered; a larger hole is skipped, not reported.
    static let windowMaximum = 4096
    /// Reported numbers kept, so that a late packet finds its neighbours.
    static let historyMaximum = 512

    /// The reporter.
    public var sender: SSRC
    /// Any one stream of the transport; the format requires one.
    public var media: SSRC

    private var unwrapper = SequenceUnwrapper()
    /// Arrivals by number, from `base`; nil for packets not received.
    private var window: [Instant?] = []
    private var base: Int64 = 0
    /// The first number that the next message reports on.
    private var unreported: Int64 = 0
    private var unreportedPackets = 0
    private var opened: Instant?
    private var isContinuing = false
    private var feedbackCount: UInt8 = 0

    public init(sender: SSRC, media: SSRC = SSRC(0)) {
        self.sender = sender
        self.media = media
    }

    private var end: Int64 { base + Int64(window.count) }

    /// When `poll` next has a message; nil while there is nothing to report.
    public var nextDeadline: Instant? {
        guard let opened else { return nil }
        if isContinuing { return opened }
        let isBusy = unreportedPackets >= Self.busyPackets
        return opened + (isBusy ? Self.busyInterval : Self.interval)
    }

    public mutating func received(sequence: UInt16, at now: Instant) {
        let number = unwrapper.unwrap(SequenceNumber(sequence))
        if window.isEmpty {
            base = number
            unreported = number
        } else if number < base {
            // Older than everything remembered: only worth keeping at the very start.
            let missing = base - number
            guard missing <= 64, window.count + Int(missing) <= Self.windowMaximum else { return }
            window.insert(contentsOf: repeatElement(nil, count: Int(missing)), at: 0)
            base = number
        } else if number - unreported >= Int64(Self.windowMaximum) {
            window = []
            base = number
            unreported = number
            unreportedPackets = 0
        }
        while end <= number { window.append(nil) }
        let index = Int(number - base)
        guard window[index] == nil else { return }
        window[index] = now
        unreported = min(unreported, number)
        unreportedPackets += 1
        if opened == nil { opened = now }
    }

    /// The message that is due, or nil. Call until nil: a long message comes in several parts.
    public mutating func poll(at now: Instant) -> TransportFeedback? {
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        guard let feedback = makeFeedback() else {
            close()
            return nil
        }
        trim()
        return feedback
    }

    private mutating func makeFeedback() -> TransportFeedback? {
        let first = Int(unreported - base)
        guard let firstArrival = window[first...].lazy.compactMap({ $0 }).first else { return nil }
        let unit = TransportFeedback.deltaUnit.nanoseconds
        let reference =
            Self.floorDivide(
                firstArrival.nanoseconds, TransportFeedback.referenceTimeUnit.nanoseconds)
        // 64 ms are 256 units of 250 us.
        var previous = reference * 256
        var deltas: [Int16?] = []
        for arrival in window[first...].prefix(Self.statusesMaximum) {
            guard let arrival else {
                deltas.append(nil)
                continue
            }
            let ticks = Self.floorDivide(arrival.nanoseconds, unit)
            guard let delta = Int16(exactly: ticks - previous) else { break }
            deltas.append(delta)
            previous = ticks
        }
        let feedback = TransportFeedback(
            sender: sender, media: media,
            baseSequence: SequenceNumber(extended: unreported).rawValue,
            referenceTime: (Int32(truncatingIfNeeded: reference) << 8) >> 8,
            feedbackCount: feedbackCount, deltas: deltas)
        feedbackCount &+= 1
        unreported += Int64(deltas.count)
        if unreported == end { close() } else { isContinuing = true }
        return feedback
    }

    private mutating func close() {
        opened = nil
        isContinuing = false
        unreportedPackets = 0
    }

    private mutating func trim() {
        let reported = Int(unreported - base)
        guard reported >= Self.historyMaximum * 2 else { return }
        let excess = reported - Self.historyMaximum
        window.removeFirst(excess)
        base += Int64(excess)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}
