internal import COpus

/// Encodes 48 kHz stereo to Opus in packets of 20 ms, with in-band redundancy for losses.
/// Not thread-safe: one owner at a time.
public final class OpusEncoder {
    public static let sampleRate = 48_000
    public static let channels = 2
    /// Samples per channel in a packet.
    public static let frameSize = 960
    /// RFC 6716 sect. 3.2.1: one frame has 1275 bytes at most, and one byte precedes it.
    private static let packetBytesMaximum = 1276

    /// The delay of the decoded sound in samples per channel.
    public let lookahead: Int
    private let encoder: OpaquePointer

    /// - Parameters:
    ///   - bitrate: bits per second, 6000 to 510 000.
    ///   - expectedLossPercent: the loss that the redundancy is meant for; 0 switches it off.
    public init(bitrate: Int = 64_000, expectedLossPercent: Int = 5) throws(CodecError) {
        guard 6_000...510_000 ~= bitrate else {
            throw .setting(name: "bitrate", value: "\(bitrate)")
        }
        guard 0...100 ~= expectedLossPercent else {
            throw .setting(name: "expectedLossPercent", value: "\(expectedLossPercent)")
        }
        var code: Int32 = 0
        let encoder = opus_encoder_create(
            Int32(Self.sampleRate), Int32(Self.channels), OPUS_APPLICATION_AUDIO, &code)
        guard code == OPUS_OK, let encoder else {
            throw .opus(call: "opus_encoder_create", code: code)
        }
        self.encoder = encoder
        var samples: Int32 = 0
        let codes = [
            opus_shim_set_bitrate(encoder, Int32(bitrate)),
            opus_shim_set_inband_fec(encoder, expectedLossPercent > 0 ? 1 : 0),
            opus_shim_set_expected_loss(encoder, Int32(expectedLossPercent)),
            opus_shim_get_lookahead(encoder, &samples),
        ]
        lookahead = Int(samples)
        if let failure = codes.first(where: { $0 != OPUS_OK }) {
            throw .opus(call: "opus_encoder_ctl", code: failure)
        }
    }

    deinit { opus_encoder_destroy(encoder) }

    /// Encodes one block of `frameSize` interleaved pairs.
    ///
    /// - Throws: `.sampleCount`, `.opus`.
    public func encode(_ samples: [Float]) throws(CodecError) -> [UInt8] {
        let expected = Self.frameSize * Self.channels
        guard samples.count == expected else {
            throw .sampleCount(count: samples.count, expected: expected)
        }
        var code: Int32 = 0
        let packet = [UInt8](
            unsafeUninitializedCapacity: Self.packetBytesMaximum
        ) { buffer, count in
            if let output = buffer.baseAddress {
                code = opus_encode_float(
                    encoder, samples, Int32(Self.frameSize), output, Int32(buffer.count))
            }
            count = max(0, Int(code))
        }
        guard code >= 0 else { throw .opus(call: "opus_encode_float", code: code) }
        return packet
    }
}
