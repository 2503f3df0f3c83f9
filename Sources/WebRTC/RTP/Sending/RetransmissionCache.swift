public import MediaKernel

/// The last packets sent on a stream, for receivers that lost some.
///
/// A receiver that asks again has waited for a round trip, so a packet may be retransmitted again,
/// but not twice within `pause`: otherwise a flood of NACKs would become a flood of media. New
/// packets displace the oldest.
public struct RetransmissionCache: Sendable {
    private struct Entry: Sendable {
        var packet: RTPPacket
        var lastGivenOut: Instant?
    }

    /// Shorter than any round trip plus the time that a receiver waits on top of it.
    static let pause: Duration = .milliseconds(15)

    private var ring: SequenceRing<Entry>
    private var unwrapper = SequenceUnwrapper()
    private var newest = Int64.min / 2

    /// - Parameter packetsMaximum: how many to keep, 1 ... 32768; rounded up to a power of two.
    public init(packetsMaximum: Int = 1024) {
        precondition(packetsMaximum <= 32_768, "half the sequence numbers must stay free")
        ring = SequenceRing(maximum: packetsMaximum)
    }

    /// Packets that can be asked for.
    public var count: Int { ring.count }

    public mutating func store(_ packet: RTPPacket) {
        var number = unwrapper.unwrap(packet.sequenceNumber)
        if number <= newest - Int64(ring.maximum) {
            // So far back that it must be a new stream: the cached packets belong to the old one.
            ring.removeAll()
            unwrapper = SequenceUnwrapper()
            number = unwrapper.unwrap(packet.sequenceNumber)
            newest = number
        }
        newest = max(newest, number)
        ring[number] = Entry(packet: packet)
    }

    /// Discards all packets stored so far.
    public mutating func removeAll() { ring.removeAll() }

    /// The newest cached packet, for uses such as probes where any packet will do.
    public var newestPacket: RTPPacket? { ring[newest]?.packet }

    /// The packet, unless it is unknown or was returned less than `pause` ago.
    public mutating func packet(_ number: SequenceNumber, at now: Instant) -> RTPPacket? {
        let extended = unwrapper.peek(number)
        // If numbers were skipped, the ring may still hold packets older than its window.
        guard extended > newest - Int64(ring.maximum), var entry = ring[extended] else {
            return nil
        }
        if let last = entry.lastGivenOut, now - last < Self.pause { return nil }
        entry.lastGivenOut = now
        ring[extended] = entry
        return entry.packet
    }
}
