/// Assigns each packet its extended sequence number, and detects a restart of the stream: at once
/// if the SSRC changes, or after a far jump of the sequence number if a second packet confirms it
/// (RFC 3550 A.1: one stray packet must not throw away a stream).
struct StreamContinuity: Sendable {
    /// A longer jump is neither loss nor lateness. RFC 3550 A.1, MAX_DROPOUT.
    static let jumpMaximum: Int64 = 3000
    /// How near the second packet must be to confirm a jump.
    static let confirmationMaximum = 64

    enum Placement {
        /// An ordinary packet, at this extended sequence number.
        case placed(Int64)
        /// A packet from far away, kept until another one confirms it.
        case setAside
        /// A new stream: forget the old one, then place these packets.
        case restarted([RTPPacket])
    }

    private var ssrc: SSRC?
    private var unwrapper = SequenceUnwrapper()
    private var newest: Int64?
    private var aside: RTPPacket?

    mutating func place(_ packet: RTPPacket) -> Placement {
        if let ssrc, ssrc != packet.ssrc {
            self = StreamContinuity()
            return .restarted([packet])
        }
        ssrc = packet.ssrc
        let number = unwrapper.peek(packet.sequenceNumber)
        guard let newest, abs(number - newest) > Self.jumpMaximum else {
            aside = nil
            newest = max(newest ?? number, number)
            return .placed(unwrapper.unwrap(packet.sequenceNumber))
        }
        if let first = aside {
            let distance = first.sequenceNumber.distance(to: packet.sequenceNumber)
            if distance != 0, abs(distance) <= Self.confirmationMaximum {
                self = StreamContinuity()
                return .restarted(distance > 0 ? [first, packet] : [packet, first])
            }
        }
        aside = packet
        return .setAside
    }
}
