internal import CLibAV
public import MediaKernel

/// A decoded block of sound: interleaved (left, right) pairs at 48 kHz.
public struct DecodedAudio: Sendable {
    public let samples: [Float]
    /// When the first pair is heard, at 48 000 ticks a second.
    public let pts: MediaTime
}

/// Decodes a file's audio track of any codec and sampling rate to 48 kHz stereo.
///
/// For Opus from the network use `OpusDecoder`, which conceals losses.
/// Not thread-safe: one owner at a time.
public final class AudioDecoder {
    public static let sampleRate = 48_000
    public static let channels = 2
    static let packetBytesMaximum = 1 << 20
    private static let blocksPerCallMaximum = 64

    private let context: CodecContext
    private let packet: PacketHandle
    private let frame: FrameHandle
    private var converter: OpaquePointer?
    /// The rate, format and channel count that the converter was made for.
    private var converterInput: (Int32, Int32, Int32) = (0, -1, 0)
    private var timescale: Int32 = 48_000
    /// The end of the converter's output so far, at 48 kHz.
    private var end: Int64 = 0

    init(parameters: borrowing TrackParameters) throws(CodecError) {
        packet = try PacketHandle()
        frame = try FrameHandle()
        let pointer = parameters.pointer
        context = try .open(
            try .decoder(for: pointer.pointee.codec_id)
        ) { context throws(CodecError) in
            try check(
                avcodec_parameters_to_context(context, pointer), "avcodec_parameters_to_context")
        }
    }

    deinit { swr_free(&converter) }

    /// Decodes one packet. Errors are per packet.
    public func decode(
        _ data: [UInt8], pts: MediaTime
    ) throws(CodecError) -> [DecodedAudio] {
        timescale = pts.timescale
        context.pointer.pointee.pkt_timebase = AVRational(num: 1, den: timescale)
        try packet.fill(data, timestamp: pts.ticks, maximum: Self.packetBytesMaximum)
        let code = avcodec_send_packet(context.pointer, packet.pointer)
        av_packet_unref(packet.pointer)
        try check(code, "avcodec_send_packet")
        return try receive()
    }

    /// Returns the rest of the sound; the decoder then starts anew.
    public func flush() throws(CodecError) -> [DecodedAudio] {
        avcodec_send_packet(context.pointer, nil)
        defer {
            avcodec_flush_buffers(context.pointer)
            // A drained converter takes no more input.
            swr_free(&converter)
        }
        var blocks = try receive()
        guard converter != nil else { return blocks }
        let pts = MediaTime(ticks: end, timescale: Int32(Self.sampleRate))
        let rest = try convert(sampleCount: nil)
        if !rest.isEmpty { blocks.append(DecodedAudio(samples: rest, pts: pts)) }
        return blocks
    }

    private func receive() throws(CodecError) -> [DecodedAudio] {
        var blocks: [DecodedAudio] = []
        while blocks.count < Self.blocksPerCallMaximum {
            let code = avcodec_receive_frame(context.pointer, frame.pointer)
            if code == av_shim_error_again || code == av_shim_error_end { break }
            try check(code, "avcodec_receive_frame")
            defer { av_frame_unref(frame.pointer) }
            blocks.append(try convertBlock())
        }
        return blocks
    }

    private func convertBlock() throws(CodecError) -> DecodedAudio {
        let block = frame.pointer.pointee
        try prepareConverter(for: block)
        // The converter's held samples come out first, so the block begins earlier.
        let delay = swr_get_delay(converter, Int64(Self.sampleRate))
        let start = MediaTime(ticks: block.pts, timescale: timescale)
            .rescaled(to: Int32(Self.sampleRate)).ticks
        let samples = try convert(sampleCount: block.nb_samples)
        end = start - delay + Int64(samples.count / Self.channels)
        return DecodedAudio(
            samples: samples,
            pts: MediaTime(ticks: start - delay, timescale: Int32(Self.sampleRate)))
    }

    /// - Parameter sampleCount: of the frame, per channel; nil for the converter's held samples.
    private func convert(sampleCount: Int32?) throws(CodecError) -> [Float] {
        let capacity = Int(swr_get_out_samples(converter, sampleCount ?? 0))
        var code: Int32 = 0
        let samples = [Float](
            unsafeUninitializedCapacity: max(0, capacity) * Self.channels
        ) { buffer, count in
            buffer.withMemoryRebound(to: UInt8.self) { bytes in
                var output = [bytes.baseAddress]
                guard let sampleCount else {
                    code = swr_convert(converter, &output, Int32(capacity), nil, 0)
                    return
                }
                let input = frame.pointer.pointee.extended_data
                input?.withMemoryRebound(
                    to: UnsafePointer<UInt8>?.self, capacity: Int(AV_NUM_DATA_POINTERS)
                ) { input in
                    code = swr_convert(converter, &output, Int32(capacity), input, sampleCount)
                }
            }
            count = max(0, Int(code)) * Self.channels
        }
        try check(code, "swr_convert")
        return samples
    }

    private func prepareConverter(for block: AVFrame) throws(CodecError) {
        let input = (block.sample_rate, block.format, block.ch_layout.nb_channels)
        if converter != nil, input == converterInput { return }
        var source = block.ch_layout
        var target = AVChannelLayout()
        av_channel_layout_default(&target, Int32(Self.channels))
        if source.order == AV_CHANNEL_ORDER_UNSPEC {
            av_channel_layout_default(&source, block.ch_layout.nb_channels)
        }
        swr_free(&converter)
        try check(
            swr_alloc_set_opts2(
                &converter, &target, AV_SAMPLE_FMT_FLT, Int32(Self.sampleRate), &source,
                AVSampleFormat(block.format), block.sample_rate, 0, nil),
            "swr_alloc_set_opts2")
        try check(swr_init(converter), "swr_init")
        converterInput = input
    }
}
