public import MediaKernel

/// Receives one audio stream: delivers its packets in order, waits briefly for late ones and
/// reports losses. It requests no retransmissions: servers do that, and must send on in time what
/// they get.
///
/// The wait for a missing packet adapts to the observed reordering, within bounds. A packet that
/// arrives after its loss was declared is dropped. A jump of the timestamp without a gap in the
/// sequence numbers is silence that the sender did not send (DTX), not a loss.
///
/// After each `handle` or `handleTimeout`, call `poll` until it returns nil.
public struct AudioReceiver: Sendable {
    public struct Configuration: Sendable {
        /// The most sequence numbers waited for at once; beyond that the oldest hole is given up.
        public var packetsMaximum = 256
        /// Bounds of the wait for a missing packet.
        public var waitMinimum: Duration = .milliseconds(20)
        public var waitMaximum: Duration = .milliseconds(200)
        /// The id of the audio level extension, if negotiated.
        public var audioLevelID: UInt8?

        public init() {}
    }

    public enum Output: Hashable, Sendable {
        case packet(EncodedFrame)
        /// This many packets in a row are missing, the first of them at this unwrapped timestamp.
        case lost(count: Int, at: Int64)
    }

    /// Counts of packets so far.
    public struct Counters: Hashable, Sendable {
        public var delivered: UInt64 = 0
        public var lost: UInt64 = 0
        /// Packets that arrived after their loss was declared, or before the stream's first.
        public var late: UInt64 = 0
        public var duplicates: UInt64 = 0
        /// How often the stream restarted.
        public var restarts: UInt64 = 0
    }

    private struct Arrived: Sendable {
        let payload: ArraySlice<UInt8>
        let timestamp: UInt32
        let arrival: Instant
        let level: AudioLevel?
    }

    /// The position in the stream, once a packet has arrived.
    private struct Position: Sendable {
        /// The next number to deliver.
        var next: Int64
        var newest: Int64
        /// One bit for each of the 64 numbers before `next`: whether it was delivered.
        var departed: UInt64 = 0
    }

    /// 20 ms of Opus, until the stream's own step is known.
    static let assumedStepTicks: Int64 = 960
    /// The longest Opus packet is 120 ms. RFC 7587 sect. 4.2.
    static let stepTicksMaximum: Int64 = 5760
    /// With each packet in order, the wait falls towards its minimum by this share: halfway in
    /// about 7 s.
    static let decayDivisor = 512

    public private(set) var counters = Counters()
    /// The current wait for a missing packet.
    public private(set) var wait: Duration

    private let configuration: Configuration
    private var continuity = StreamContinuity()
    private var timestamps = TimestampUnwrapper()
    private var ring: SequenceRing<Arrived>
    private var position: Position?
    private var lastTimestamp: Int64?
    private var stepTicks = assumedStepTicks
    private var previousWasReleased = false
    private var followsLoss = false
    private var now = Instant.zero

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        wait = configuration.waitMinimum
        // Wider than any jump that is not a restart, so no packet takes another's slot.
        ring = SequenceRing(maximum: 4096)
    }

    /// When to call `handleTimeout`; nil while there is nothing to wait for.
    public var nextDeadline: Instant? { hole()?.deadline }

    // MARK: Facts in

    public mutating func handle(_ packet: RTPPacket, at now: Instant) {
        self.now = now
        switch continuity.place(packet) {
        case .placed(let number):
            take(packet, number)
        case .setAside:
            break
        case .restarted(let packets):
            restart()
            for packet in packets {
                if case .placed(let number) = continuity.place(packet) { take(packet, number) }
            }
        }
    }

    public mutating func handleTimeout(at now: Instant) { self.now = now }

    // MARK: Orders out

    public mutating func poll() -> Output? {
        while let position, let packet = ring[position.next] {
            release(position.next)
            // A padding-only packet takes a sequence number but has no sound.
            if !packet.payload.isEmpty { return .packet(delivered(packet)) }
        }
        if let hole = hole(), hole.deadline <= now || isWindowFull { return giveUp(hole) }
        return nil
    }

    // MARK: Taking packets

    private mutating func restart() {
        counters.restarts += 1
        followsLoss = true
        position = nil
        lastTimestamp = nil
        ring.removeAll()
    }

    private mutating func take(_ packet: RTPPacket, _ number: Int64) {
        var position = self.position ?? Position(next: number, newest: number)
        guard number >= position.next else {
            noteLate(position.next - 1 - number, position)
            return
        }
        guard ring[number] == nil else {
            counters.duplicates += 1
            return
        }
        if let hole = hole(), number == position.next {
            // The packet came just in time: the wait should hold with a margin.
            widen(to: (now - hole.since) * 2)
        }
        position.newest = max(position.newest, number)
        self.position = position
        ring[number] = Arrived(
            payload: packet.payload, timestamp: packet.timestamp, arrival: now,
            level: configuration.audioLevelID.flatMap { packet.extensions[$0] }
                .flatMap(AudioLevel.init(extensionBytes:)))
    }

    private mutating func noteLate(_ back: Int64, _ position: Position) {
        if back < 64, position.departed >> UInt64(back) & 1 == 1 {
            counters.duplicates += 1
        } else {
            counters.late += 1
            widen(to: wait * 3 / 2)
        }
    }

    private mutating func widen(to wait: Duration) {
        self.wait = min(max(self.wait, wait), configuration.waitMaximum)
    }

    // MARK: Holes

    private struct Hole {
        let numbers: Range<Int64>
        /// When the packet after the hole arrived, which revealed the hole.
        let since: Instant
        let deadline: Instant
    }

    /// The hole at the front, if packets wait after it.
    private func hole() -> Hole? {
        guard let position, ring.count > 0, ring[position.next] == nil else { return nil }
        var end = position.next + 1
        while end <= position.newest {
            if let packet = ring[end] {
                return Hole(
                    numbers: position.next..<end, since: packet.arrival,
                    deadline: packet.arrival + wait)
            }
            end += 1
        }
        return nil
    }

    private var isWindowFull: Bool {
        guard let position else { return false }
        return position.newest - position.next >= Int64(configuration.packetsMaximum)
    }

    private mutating func giveUp(_ hole: Hole) -> Output {
        let count = hole.numbers.count
        counters.lost += UInt64(count)
        followsLoss = true
        previousWasReleased = false
        position?.next = hole.numbers.upperBound
        let departed = position?.departed ?? 0
        position?.departed = count < 64 ? departed << UInt64(count) : 0
        let behind = ring[hole.numbers.upperBound].map { timestamps.peek($0.timestamp) } ?? 0
        // Counted from the last delivered packet; the packet after the hole bounds the timestamp,
        // because a silence may have begun within the hole.
        let counted = lastTimestamp.map { $0 + stepTicks } ?? behind - Int64(count) * stepTicks
        return .lost(count: count, at: min(counted, behind))
    }

    // MARK: Releasing

    private mutating func release(_ number: Int64) {
        position?.next = number + 1
        let departed = position?.departed ?? 0
        position?.departed = departed << 1 | 1
        if wait > configuration.waitMinimum {
            wait -= (wait - configuration.waitMinimum) / Self.decayDivisor
        }
    }

    private mutating func delivered(_ packet: Arrived) -> EncodedFrame {
        defer { followsLoss = false }
        counters.delivered += 1
        let timestamp = timestamps.unwrap(packet.timestamp)
        if let lastTimestamp, previousWasReleased,
            (1...Self.stepTicksMaximum).contains(timestamp - lastTimestamp)
        {
            stepTicks = timestamp - lastTimestamp
        }
        lastTimestamp = timestamp
        previousWasReleased = true
        return EncodedFrame(
            codec: .opus, timestamp: timestamp, isKeyframe: true, data: Array(packet.payload),
            lastArrival: packet.arrival, followsLoss: followsLoss, audioLevel: packet.level)
    }
}
