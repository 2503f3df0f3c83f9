public import MediaKernel

/// Computes a stream's loss and jitter for reception reports. RFC 3550 sect. 6.4.1, A.3, A.8.
///
/// Feed the packets as they arrive from the network, before reordering and without those of the RTX
/// stream. A retransmission within the original stream, which browsers use for audio, counts as
/// received.
public struct ReceptionStatistics: Sendable {
    /// A longer jump is a new stream once two packets in a row agree on it. RFC 3550 A.1.
    static let dropoutMaximum: Int64 = 3000

    public let ssrc: SSRC
    /// Packets received since the start, duplicates included.
    public private(set) var packetCount: UInt64 = 0
    /// Payload bytes received since the start.
    public private(set) var octetCount: UInt64 = 0

    private var sequence: Sequence?
    private var transit: (timestamp: UInt32, ticks: UInt32)?
    /// Jitter in 1/16 tick, as in RFC 3550 A.8.
    private var jitterSixteenths: UInt32 = 0
    private var lastSenderReport: (middle: UInt32, at: Instant)?

    private struct Sequence: Sendable {
        var unwrapper: SequenceUnwrapper
        let first: Int64
        var newest: Int64
        var received: Int64 = 1
        var expectedBefore: Int64 = 0
        var receivedBefore: Int64 = 0
        /// The number that would confirm a jump.
        var jumpConfirmation: SequenceNumber?

        init(_ number: SequenceNumber) {
            unwrapper = SequenceUnwrapper()
            first = unwrapper.unwrap(number)
            newest = first
        }

        var expected: Int64 { newest - first + 1 }
    }

    public init(ssrc: SSRC) { self.ssrc = ssrc }

    /// - Parameter clockRate: ticks per second of the stream's RTP clock.
    public mutating func received(_ packet: RTPPacket, at now: Instant, clockRate: Int) {
        packetCount += 1
        octetCount += UInt64(packet.payload.count)
        let isNewest = count(packet.sequenceNumber)
        guard isNewest else { return }
        let arrival = Self.ticks(of: now, clockRate: clockRate)
        let ticks = arrival &- packet.timestamp
        if let transit, transit.timestamp != packet.timestamp {
            let difference = Int32(bitPattern: ticks &- transit.ticks).magnitude
            // A jump of the timestamps themselves is not jitter.
            if difference < UInt32(clockRate) * 5 {
                jitterSixteenths = jitterSixteenths &+ difference &- (jitterSixteenths &+ 8) >> 4
            }
        }
        transit = (packet.timestamp, ticks)
    }

    public mutating func senderReport(_ report: SenderReport, at now: Instant) {
        lastSenderReport = (report.ntp.middle, now)
    }

    /// The block for the next report; the fraction lost covers the time since the previous call.
    public mutating func report(at now: Instant) -> ReceptionReport {
        var report = ReceptionReport(ssrc: ssrc, jitter: jitterSixteenths >> 4)
        if let lastSenderReport {
            report.lastSenderReport = lastSenderReport.middle
            let delay = max(0, (now - lastSenderReport.at).milliseconds)
            report.delaySinceLastSenderReport = UInt32(clamping: delay * 65_536 / 1000)
        }
        guard var sequence else { return report }
        let expected = sequence.expected - sequence.expectedBefore
        let lost = expected - (sequence.received - sequence.receivedBefore)
        sequence.expectedBefore = sequence.expected
        sequence.receivedBefore = sequence.received
        self.sequence = sequence
        report.fractionLost =
            expected > 0 && lost > 0 ? UInt8(clamping: lost * 256 / expected) : 0
        let range = ReceptionReport.cumulativeLostRange
        report.cumulativeLost = min(
            max(Int32(clamping: sequence.expected - sequence.received), range.lowerBound),
            range.upperBound)
        report.extendedHighestSequence = UInt32(truncatingIfNeeded: sequence.newest)
        return report
    }

    /// Counts the number; answers whether it is the newest so far.
    private mutating func count(_ number: SequenceNumber) -> Bool {
        guard var sequence else {
            self.sequence = Sequence(number)
            return true
        }
        defer { self.sequence = sequence }
        let extended = sequence.unwrapper.peek(number)
        guard abs(extended - sequence.newest) <= Self.dropoutMaximum else {
            if sequence.jumpConfirmation == number {
                sequence = Sequence(number)
                return true
            }
            sequence.jumpConfirmation = number.advanced(by: 1)
            return false
        }
        _ = sequence.unwrapper.unwrap(number)
        sequence.jumpConfirmation = nil
        sequence.received += 1
        guard extended > sequence.newest else { return false }
        sequence.newest = extended
        return true
    }

    /// The instant on an RTP clock of this rate, modulo 2^32.
    private static func ticks(of now: Instant, clockRate: Int) -> UInt32 {
        let seconds = now.nanoseconds / 1_000_000_000
        let rest = now.nanoseconds % 1_000_000_000
        let ticks = seconds &* Int64(clockRate) &+ rest * Int64(clockRate) / 1_000_000_000
        return UInt32(truncatingIfNeeded: ticks)
    }
}
