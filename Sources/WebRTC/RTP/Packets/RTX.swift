import MediaKernel

/// Retransmits packets in a separate stream. RFC 4588 sect. 4.
///
/// ```
/// |  RTP header of the RTX stream  |  OSN: original sequence number (16)  |  original payload |
/// ```
public enum RTX {
    /// The packet in the form of its RTX stream.
    public static func wrap(
        _ packet: RTPPacket, ssrc: SSRC, payloadType: PayloadType, sequence: SequenceNumber
    ) -> RTPPacket {
        var payload: [UInt8] = []
        payload.reserveCapacity(packet.payload.count + 2)
        payload.append(bigEndian: packet.sequenceNumber.rawValue)
        payload.append(contentsOf: packet.payload)
        var wrapped = packet
        wrapped.ssrc = ssrc
        wrapped.payloadType = payloadType
        wrapped.sequenceNumber = sequence
        wrapped.payload = payload[...]
        wrapped.paddingLength = 0
        return wrapped
    }

    /// The original packet inside an RTX packet; shares its storage.
    ///
    /// - Throws: `.truncated` when there is no original sequence number. Senders probe for
    ///   bandwidth with empty packets on the RTX stream, so this is no sign of trouble.
    public static func unwrap(
        _ packet: RTPPacket, originalSSRC: SSRC, originalPayloadType: PayloadType
    ) throws(RTPError) -> RTPPacket {
        var reader = ByteReader(packet.payload)
        var original = packet
        do throws(TruncatedInput) {
            original.sequenceNumber = SequenceNumber(try reader.readUInt16())
        } catch {
            throw RTPError(error)
        }
        original.ssrc = originalSSRC
        original.payloadType = originalPayloadType
        original.payload = reader.readRest()
        original.paddingLength = 0
        return original
    }
}
