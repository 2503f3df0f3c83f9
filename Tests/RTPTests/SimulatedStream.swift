import MediaKernel
import RTP

/// Frames of one codec that look valid to the receivers, and their packets.
struct SimulatedStream {
    struct Frame: Equatable {
        var timestamp: UInt32
        var isKeyframe: Bool
        var data: [UInt8]
    }

    let codec: MediaCodec
    var ssrc = SSRC(0x1111)
    var sequence: SequenceNumber
    var timestamp: UInt32
    private var packetizer: any Packetizer
    private var random: SeededRandom
    private let mtu: Int

    init(
        _ codec: MediaCodec, seed: UInt64 = 1, sequence: UInt16 = 100, timestamp: UInt32 = 90_000,
        mtu: Int = 200
    ) {
        self.codec = codec
        self.sequence = SequenceNumber(sequence)
        self.timestamp = timestamp
        self.mtu = mtu
        packetizer = codec.makePacketizer(mtu: mtu)
        random = SeededRandom(seed: seed)
    }

    var ticksPerFrame: UInt32 { codec.isVideo ? 3000 : 960 }

    /// The next frame and its packets.
    mutating func next(
        isKeyframe: Bool, bytes: Int? = nil
    ) -> (frame: Frame, packets: [RTPPacket]) {
        let count = bytes ?? Int.random(in: 20...1500, using: &random)
        let frame = Frame(
            timestamp: timestamp, isKeyframe: isKeyframe,
            data: Self.frameData(codec, isKeyframe: isKeyframe, count: count, using: &random))
        let packets = packetizer.packetize(frame: frame.data, isKeyframe: isKeyframe).map {
            defer { sequence = sequence.advanced(by: 1) }
            return RTPPacket(
                marker: $0.marker, payloadType: PayloadType(96), sequenceNumber: sequence,
                timestamp: timestamp, ssrc: ssrc, payload: $0.payload[...])
        }
        timestamp &+= ticksPerFrame
        return (frame, packets)
    }

    /// A packet with only padding, as senders use to probe.
    mutating func padding() -> RTPPacket {
        defer { sequence = sequence.advanced(by: 1) }
        return RTPPacket(
            payloadType: PayloadType(96), sequenceNumber: sequence, timestamp: timestamp,
            ssrc: ssrc, payload: [], paddingLength: 200)
    }

    static func frameData(
        _ codec: MediaCodec, isKeyframe: Bool, count: Int, using random: inout SeededRandom
    ) -> [UInt8] {
        // Never zero, so that no start code and no trailing zero occurs by chance.
        let body = (0..<count).map { _ in UInt8.random(in: 1...255, using: &random) }
        switch codec {
        case .vp8:
            let start: [UInt8] = isKeyframe ? [0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A] : [0x11, 2, 0]
            return start + (isKeyframe ? [0x80, 0x02, 0x68, 0x01] : []) + body
        case .vp9:
            // Profile 0, key, shown; sync code; colour space 1; 640x360.
            return
                (isKeyframe
                ? [0x82, 0x49, 0x83, 0x42, 0x20, 0x27, 0xF0, 0x16, 0x70] : [0x86, 0x00]) + body
        case .h264:
            return (isKeyframe ? Self.parameterSets : [])
                + [0, 0, 0, 1, isKeyframe ? 0x65 : 0x41, 0x9A] + body
        case .av1:
            let frameHeader: UInt8 = isKeyframe ? 0x10 : 0x30
            var size: [UInt8] = []
            var rest = body.count + 1
            while rest >= 0x80 {
                size.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            size.append(UInt8(rest))
            return [0x12, 0x00] + (isKeyframe ? Self.av1SequenceHeader : [])
                + [0x32] + size + [frameHeader] + body
        case .opus:
            return body
        }
    }

    /// By x264, baseline, 640x360: SPS and PPS in Annex B form.
    static let parameterSets: [UInt8] =
        [0, 0, 0, 1] + sequenceParameterSet + [0, 0, 0, 1] + pictureParameterSet
    static let sequenceParameterSet: [UInt8] = [
        0x67, 0x42, 0xC0, 0x1E, 0xD9, 0x00, 0xA0, 0x2F, 0xF9, 0x70, 0x11, 0x00, 0x00, 0x03,
        0x00, 0x01, 0x00, 0x00, 0x03, 0x00, 0x3C, 0x0F, 0x16, 0x2E, 0x48,
    ]
    static let pictureParameterSet: [UInt8] = [0x68, 0xCB, 0x83, 0xCB, 0x20]

    /// By SVT-AV1, main profile, 640x360: an OBU with its size.
    static let av1SequenceHeader: [UInt8] = [
        0x0A, 0x0B, 0x00, 0x00, 0x00, 0x0C, 0xC4, 0xFF, 0x67, 0x3E, 0xFE, 0x40, 0x10,
    ]
}
