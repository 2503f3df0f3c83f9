/// Adds missing clock references (PCR) where the pictures that carry them are further apart than a
/// receiver may wait: in layers of less than ten a second, and in layers that are thinned for lack
/// of CPU. ISO/IEC 13818-1 sect. 2.4.3.5 and 2.7.2.
///
/// Between two references of a segment the stream arrives at a constant rate (sect. 2.4.2.2), so
/// that rate gives the place of the added ones. References that are missing since the previous
/// segment, which is already out, come right before this segment's first.
struct ClockReferences {
    /// The longest time between two references, in ticks of 90 kHz.
    static let intervalMaximum: Int64 = 9_000
    /// A longer gap does not come from a low frame rate: writing had stopped.
    private static let gapMaximum: Int64 = 10 * 90_000

    private static let packetBytes = 188
    /// 33 bits, of which a clock reference has the lower ones.
    private static let mask: Int64 = (1 << 33) - 1

    private var last: Int64?
    private var counter: UInt8 = 0

    /// An existing reference and the number of its packet.
    private struct Mark {
        var packet: Int
        var ticks: Int64
    }

    /// The next segment, whole packets, with the missing references added.
    mutating func completing(_ segment: [UInt8]) -> [UInt8] {
        let marks = Self.marks(in: segment)
        guard let first = marks.first, let final = marks.last else { return segment }
        var missing: [Mark] = []
        if let last {
            missing += Self.between(Mark(packet: first.packet, ticks: last), first)
        }
        for (mark, next) in zip(marks, marks.dropFirst()) {
            missing += Self.between(mark, next)
        }
        last = final.ticks
        return insert(missing, into: segment, identifier: Self.identifier(segment, first.packet))
    }

    private static func marks(in segment: [UInt8]) -> [Mark] {
        segment.withUnsafeBytes { bytes in
            (0..<bytes.count / packetBytes).compactMap { packet in
                let start = packet * packetBytes
                // An adaptation field that is not empty, with a reference in it.
                guard bytes[start + 3] & 0x20 != 0, bytes[start + 4] > 0,
                    bytes[start + 5] & 0x10 != 0
                else { return nil }
                let high = bytes[start + 6..<start + 10].reduce(Int64(0)) { $0 << 8 | Int64($1) }
                return Mark(packet: packet, ticks: high << 1 | Int64(bytes[start + 10] >> 7))
            }
        }
    }

    /// The references to add, evenly spaced, and the packets before which they go.
    private static func between(_ mark: Mark, _ next: Mark) -> [Mark] {
        let gap = (next.ticks - mark.ticks) & mask
        guard gap > intervalMaximum, gap <= gapMaximum else { return [] }
        let parts = (gap + intervalMaximum - 1) / intervalMaximum
        return (1..<parts).map { part in
            let packets = (next.packet - mark.packet) * Int(part) / Int(parts)
            return Mark(
                packet: min(mark.packet + max(1, packets), next.packet),
                ticks: (mark.ticks + gap * part / parts) & mask)
        }
    }

    private static func identifier(_ segment: [UInt8], _ packet: Int) -> (UInt8, UInt8) {
        let start = packet * packetBytes
        return (segment[start + 1] & 0x1F, segment[start + 2])
    }

    private mutating func insert(
        _ missing: [Mark], into segment: [UInt8], identifier: (UInt8, UInt8)
    ) -> [UInt8] {
        guard !missing.isEmpty else {
            count(in: segment, from: 0, to: segment.count, identifier)
            return segment
        }
        var result: [UInt8] = []
        result.reserveCapacity(segment.count + missing.count * Self.packetBytes)
        var copied = 0
        for mark in missing {
            let end = mark.packet * Self.packetBytes
            count(in: segment, from: copied, to: end, identifier)
            result += segment[copied..<end]
            result += packet(mark.ticks, identifier)
            copied = end
        }
        count(in: segment, from: copied, to: segment.count, identifier)
        result += segment[copied...]
        return result
    }

    /// The continuity counter of the last packet with the identifier; a packet without payload
    /// repeats it (sect. 2.4.3.3).
    private mutating func count(
        in segment: [UInt8], from: Int, to: Int, _ identifier: (UInt8, UInt8)
    ) {
        var start = to - Self.packetBytes
        while start >= from {
            if segment[start + 1] & 0x1F == identifier.0, segment[start + 2] == identifier.1 {
                counter = segment[start + 3] & 0x0F
                return
            }
            start -= Self.packetBytes
        }
    }

    /// A packet with only an adaptation field, which has the reference and is stuffed.
    private func packet(_ ticks: Int64, _ identifier: (UInt8, UInt8)) -> [UInt8] {
        let base = UInt64(ticks)
        var packet: [UInt8] = [
            0x47, identifier.0, identifier.1, 0x20 | counter, UInt8(Self.packetBytes - 5), 0x10,
            UInt8(truncatingIfNeeded: base >> 25), UInt8(truncatingIfNeeded: base >> 17),
            UInt8(truncatingIfNeeded: base >> 9), UInt8(truncatingIfNeeded: base >> 1),
            // The six reserved bits are ones; the extension, of 27 MHz, is zero.
            UInt8(base & 1) << 7 | 0x7E, 0,
        ]
        packet += repeatElement(0xFF, count: Self.packetBytes - packet.count)
        return packet
    }
}
