import MediaKernel

/// The outcome of one sent packet, as far as feedback reported it.
struct PacketResult: Hashable, Sendable {
    var sent: Instant
    /// On the receiver's clock; nil for a packet reported as not received.
    var arrival: Duration?
    /// Bytes of the whole datagram.
    var bytes: Int
    /// The probe that it was part of.
    var probe: Int?
}

/// The packets awaiting feedback, by their transport-wide sequence number.
struct SentPacketLog: Sendable {
    /// Two seconds of 16 Mbit/s. Older packets are overwritten; feedback for them is ignored.
    static let packetsMaximum = 4096

    private struct Entry: Sendable {
        var number: Int64
        var sent: Instant
        var bytes: Int32
        var probe: Int32
    }

    private var entries: [Entry] = []
    private var next: Int64 = 0

    /// Records a packet about to be sent. Returns the transport-wide sequence number to put on it.
    mutating func sent(bytes: Int, probe: Int?, at now: Instant) -> TransportSequence {
        let entry = Entry(
            number: next, sent: now, bytes: Int32(clamping: bytes),
            probe: probe.map { Int32(truncatingIfNeeded: $0) } ?? -1)
        if entries.count < Self.packetsMaximum {
            entries.append(entry)
        } else {
            entries[Int(next) & (Self.packetsMaximum - 1)] = entry
        }
        defer { next += 1 }
        return TransportSequence(UInt16(truncatingIfNeeded: next))
    }

    /// Ignores feedback for all packets sent so far.
    mutating func forget() {
        for index in entries.indices { entries[index].number = -1 }
    }

    /// The packets that a message reports on, each once: a packet reported as received is
    /// forgotten; one reported as missing may still be reported as received later.
    mutating func results(of feedback: TransportFeedback) -> [PacketResult] {
        guard next > 0 else { return [] }
        var results: [PacketResult] = []
        results.reserveCapacity(feedback.deltas.count)
        for (sequence, arrival) in feedback.arrivals {
            // Each number becomes the candidate nearest to the newest one sent.
            let newest = TransportSequence(UInt16(truncatingIfNeeded: next - 1))
            let distance = Int64(Int16(bitPattern: sequence &- newest.rawValue))
            let number = next - 1 + distance
            guard number >= 0, number < next else { continue }
            let index = Int(number) & (Self.packetsMaximum - 1)
            guard entries[index].number == number else { continue }
            let entry = entries[index]
            if arrival != nil { entries[index].number = -1 }
            results.append(
                PacketResult(
                    sent: entry.sent, arrival: arrival, bytes: Int(entry.bytes),
                    probe: entry.probe < 0 ? nil : Int(entry.probe)))
        }
        return results
    }
}
