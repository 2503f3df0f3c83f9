internal import COpus

/// Decodes Opus (RFC 6716) to 48 kHz stereo and conceals losses. A mono stream is decoded to both
/// channels.
///
/// All results are interleaved (left, right) pairs, nominally -1 to 1. The first 80 ms are silent,
/// and the next 5 ms fade in: a decoder that begins within a stream lacks what the encoder refers
/// to (RFC 7845 sect. 4.6), and may give three times the sound's level there.
/// Not thread-safe: one owner at a time.
public final class OpusDecoder {
    public static let sampleRate = 48_000
    public static let channels = 2
    /// Samples per channel in the longest packet, 120 ms. RFC 6716 sect. 3.2.1.
    public static let packetSamplesMaximum = 5760
    /// A packet of 120 ms at most holds 48 frames; RFC 6716 sect. 3.4 bounds each to 1275
    /// bytes.
    public static let packetBytesMaximum = 48 * 1276 + 2
    /// Concealment works in steps of 2.5 ms.
    private static let concealmentStep = 120
    /// Concealment fades out long before this; a longer one would be the caller's mistake. One
    /// second.
    public static let concealedSamplesMaximum = 48_000

    /// Samples per channel that are silent at first, and of the fade after them.
    private static let silentAtFirst = 3840
    private static let fadeAtFirst = 240

    private let decoder: OpaquePointer
    /// Samples per channel, up to the end of the first fade.
    private var decoded = 0

    /// - Throws: `.opus`.
    public init() throws(CodecError) {
        var code: Int32 = 0
        let decoder = opus_decoder_create(
            Int32(Self.sampleRate), Int32(Self.channels), &code)
        guard code == OPUS_OK, let decoder else {
            throw .opus(call: "opus_decoder_create", code: code)
        }
        self.decoder = decoder
    }

    deinit { opus_decoder_destroy(decoder) }

    /// Decodes one packet.
    ///
    /// - Throws: `.packetSize`; `.opus` for damaged data. The next packet decodes again.
    public func decode(_ packet: [UInt8]) throws(CodecError) -> [Float] {
        try Self.checkSize(of: packet)
        return try decode(packet, samples: Self.packetSamplesMaximum, useRedundancy: false)
    }

    /// Conceals `samples` samples per channel of missing packets (PLC); the longer the hole, the
    /// quieter.
    ///
    /// - Parameter samples: 1 to `concealedSamplesMaximum`; more is cut to that.
    public func decodeLost(samples: Int) throws(CodecError) -> [Float] {
        let wanted = max(0, min(samples, Self.concealedSamplesMaximum))
        var result: [Float] = []
        result.reserveCapacity((wanted + Self.concealmentStep) * Self.channels)
        while result.count < wanted * Self.channels {
            let missing = wanted - result.count / Self.channels
            let steps = (missing + Self.concealmentStep - 1) / Self.concealmentStep
            let count = min(steps * Self.concealmentStep, Self.packetSamplesMaximum)
            result += try decode(nil, samples: count, useRedundancy: false)
        }
        result.removeLast(result.count - wanted * Self.channels)
        return result
    }

    /// Recovers the packet *before* `packet` from the redundant copy in it, if it holds one
    /// (RFC 6716 sect. 2.1.7), and conceals otherwise.
    ///
    /// - Parameter samples: the lost packet's samples per channel.
    /// - Throws: `.packetSize`; `.sampleCount` unless a multiple of 2.5 ms up to 120 ms; `.opus`.
    public func decodeFEC(_ packet: [UInt8], samples: Int) throws(CodecError) -> [Float] {
        try Self.checkSize(of: packet)
        guard samples > 0, samples <= Self.packetSamplesMaximum,
            samples % Self.concealmentStep == 0
        else { throw .sampleCount(count: samples, expected: Self.concealmentStep) }
        return try decode(packet, samples: samples, useRedundancy: true)
    }

    /// A packet's samples per channel (at 48 kHz); nil when it is damaged.
    public static func sampleCount(of packet: [UInt8]) -> Int? {
        guard !packet.isEmpty, packet.count <= packetBytesMaximum else { return nil }
        let count = opus_packet_get_nb_samples(packet, Int32(packet.count), Int32(sampleRate))
        return count > 0 ? Int(count) : nil
    }

    private func decode(
        _ packet: [UInt8]?, samples: Int, useRedundancy: Bool
    ) throws(CodecError) -> [Float] {
        var code: Int32 = 0
        var pcm = [Float](unsafeUninitializedCapacity: samples * Self.channels) { buffer, count in
            if let output = buffer.baseAddress {
                code = opus_decode_float(
                    decoder, packet, Int32(packet?.count ?? 0), output, Int32(samples),
                    useRedundancy ? 1 : 0)
            }
            count = max(0, Int(code)) * Self.channels
        }
        guard code >= 0 else { throw .opus(call: "opus_decode_float", code: code) }
        beginSoftly(&pcm)
        return pcm
    }

    private func beginSoftly(_ pcm: inout [Float]) {
        let end = Self.silentAtFirst + Self.fadeAtFirst
        guard decoded < end else { return }
        for n in 0..<min(pcm.count / Self.channels, end - decoded) {
            let gain = max(0, Float(decoded + n - Self.silentAtFirst) / Float(Self.fadeAtFirst))
            pcm[Self.channels * n] *= gain
            pcm[Self.channels * n + 1] *= gain
        }
        decoded += pcm.count / Self.channels
    }

    private static func checkSize(of packet: [UInt8]) throws(CodecError) {
        guard !packet.isEmpty, packet.count <= packetBytesMaximum else {
            throw .packetSize(count: packet.count, maximum: packetBytesMaximum)
        }
    }
}
