import RTP
import SDP

/// The codecs of a server's description, by payload type: one that agrees to several sends any of
/// them, without saying so before.
struct DescribedCodecs {
    private var codecs: [String: [UInt8: CodecDescription]] = [:]

    init(_ description: SessionDescription) {
        for section in description.media where !section.isRejected {
            guard let mid = section.mid else { continue }
            for codec in section.rtp.codecs where MediaCodec(rtpName: codec.name) != nil {
                codecs[mid, default: [:]][codec.payloadType] = codec
            }
        }
    }

    /// Nil for one that carries no media that we know, such as comfort noise.
    func codec(of payloadType: PayloadType, in mid: String) -> CodecDescription? {
        codecs[mid]?[payloadType.rawValue]
    }
}
