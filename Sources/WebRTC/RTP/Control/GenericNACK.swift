import MediaKernel

/// Requests retransmission of lost packets. RFC 4585 sect. 6.2.1.
///
/// ```
/// |  PID: a lost packet (16)  |  BLP: which of the 16 after it are lost too (16)  | ...
/// ```
public struct GenericNACK: Hashable, Sendable {
    /// The requester.
    public var sender: SSRC
    /// The stream that the packets belong to.
    public var media: SSRC
    /// In ascending order when written; at most `lostMaximum` are written or read.
    public var lost: [SequenceNumber]

    /// The most packets that one message may request, so that it cannot cause a flood.
    public static let lostMaximum = 2048

    public init(sender: SSRC, media: SSRC, lost: [SequenceNumber]) {
        self.sender = sender
        self.media = media
        self.lost = lost
    }

    init(sender: SSRC, media: SSRC, parsing reader: inout ByteReader) throws(TruncatedInput) {
        self.sender = sender
        self.media = media
        lost = []
        while reader.remaining > 0, lost.count < Self.lostMaximum {
            let first = SequenceNumber(try reader.readUInt16())
            let mask = try reader.readUInt16()
            lost.append(first)
            for bit in 0..<16 where mask >> bit & 1 == 1 {
                lost.append(first.advanced(by: bit + 1))
            }
        }
        if lost.count > Self.lostMaximum { lost.removeLast(lost.count - Self.lostMaximum) }
        _ = reader.readRest()
    }

    func write(into writer: inout ByteWriter) {
        var index = 0
        let lost = lost.prefix(Self.lostMaximum)
        while index < lost.count {
            let first = lost[index]
            var mask: UInt16 = 0
            index += 1
            while index < lost.count {
                let distance = first.distance(to: lost[index])
                guard (1...16).contains(distance) else { break }
                mask |= 1 << UInt16(distance - 1)
                index += 1
            }
            writer.write(first.rawValue)
            writer.write(mask)
        }
    }
}
