import RTP

/// Keeps a subscriber's RTP stream continuous when the source behind it changes.
///
/// Within one source, numbers pass with a constant offset, so reordered and repaired packets keep
/// their places. When the SSRC changes, the new source continues one sequence number and a moment
/// of RTP time after the newest packet sent. RFC 3550 sect. 5.1.
struct SequenceRewriter {
    private var source: SSRC?
    private var sequenceOffset = 0
    private var timestampOffset: UInt32 = 0
    private var newestSequence: SequenceNumber?
    private var newestTimestamp: UInt32 = 0
    /// RTP ticks between the last packet of one source and the first of the next.
    private let gap: UInt32

    /// A gap of 1/30 s: one frame of video, and more than an Opus packet.
    init(clockRate: Int) { gap = UInt32(clockRate / 30) }

    mutating func rewrite(_ packet: RTPPacket) -> RTPPacket {
        if packet.ssrc != source {
            source = packet.ssrc
            if let newestSequence {
                sequenceOffset = packet.sequenceNumber.distance(
                    to: newestSequence.advanced(by: 1))
                timestampOffset = newestTimestamp &+ gap &- packet.timestamp
            }
        }
        var packet = packet
        packet.sequenceNumber = packet.sequenceNumber.advanced(by: sequenceOffset)
        packet.timestamp = rewrite(timestamp: packet.timestamp)
        if newestSequence.map(packet.sequenceNumber.isNewer) ?? true {
            newestSequence = packet.sequenceNumber
            newestTimestamp = packet.timestamp
        }
        return packet
    }

    /// The same mapping for a sender report of the current source.
    func rewrite(timestamp: UInt32) -> UInt32 { timestamp &+ timestampOffset }
}
