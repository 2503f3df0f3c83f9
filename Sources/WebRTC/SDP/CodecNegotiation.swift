/// A codec both sides have.
public struct NegotiatedCodec: Hashable, Sendable {
    /// The offerer's payload type with the parameters and the feedback of the answer.
    public var codec: CodecDescription
    /// The offerer's payload type for its retransmissions, when both sides do them.
    public var rtxPayloadType: UInt8?

    public init(codec: CodecDescription, rtxPayloadType: UInt8? = nil) {
        self.codec = codec
        self.rtxPayloadType = rtxPayloadType
    }

    /// The formats for the answer: the codec, then its retransmissions.
    public var descriptions: [CodecDescription] {
        guard let rtxPayloadType else { return [codec] }
        return [
            codec,
            .retransmission(
                payloadType: rtxPayloadType, of: codec.payloadType, clockRate: codec.clockRate),
        ]
    }
}

/// The codecs of an offered section that are in `capabilities`: in the order of the capabilities,
/// and in the offer's order if one capability matches several formats (H.264 profiles). RFC 3264
/// sect. 6.1. If empty, the section is to be rejected.
public func negotiate(
    offered: MediaSection, capabilities: [CodecCapability]
) -> [NegotiatedCodec] {
    let retransmissions = Dictionary(
        offered.rtp.codecs.compactMap { codec in codec.associatedPayloadType.map { ($0, codec) } }
    ) { first, _ in first }
    var taken: Set<UInt8> = []
    var agreed: [NegotiatedCodec] = []
    for capability in capabilities where capability.kind == offered.kind {
        for codec in offered.rtp.codecs
        where capability.matches(codec) && taken.insert(codec.payloadType).inserted {
            let retransmission = retransmissions[codec.payloadType]
            let isRepaired =
                capability.allowsRetransmission && retransmission?.clockRate == codec.clockRate
            agreed.append(
                NegotiatedCodec(
                    codec: capability.answer(to: codec),
                    rtxPayloadType: isRepaired ? retransmission?.payloadType : nil))
        }
    }
    return agreed
}
