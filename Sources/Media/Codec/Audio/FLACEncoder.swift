internal import CLibAV

/// Encodes 16-bit samples to FLAC (RFC 9639), without loss. Not thread-safe: one owner at a time.
public final class FLACEncoder {
    public let sampleRate: Int
    public let channels: Int
    /// Samples per channel in a block.
    public let frameSize: Int
    /// The STREAMINFO block. RFC 9639 sect. 8.2.
    private let information: [UInt8]
    private let context: CodecContext
    private let packet: PacketHandle
    private let block: FrameHandle
    private var position: Int64 = 0

    /// - Parameters:
    ///   - sampleRate: samples per second, 8 000 to 192 000.
    ///   - channels: 1 or 2.
    /// - Throws: `.setting`, `.partMissing`, `.library`, `.outOfMemory`.
    public init(sampleRate: Int, channels: Int) throws(CodecError) {
        guard 8_000...192_000 ~= sampleRate else {
            throw .setting(name: "sampleRate", value: "\(sampleRate)")
        }
        guard 1...2 ~= channels else {
            throw .setting(name: "channels", value: "\(channels)")
        }
        self.sampleRate = sampleRate
        self.channels = channels
        packet = try PacketHandle()
        block = try FrameHandle()
        context = try .open(try .encoder(named: "flac")) { context in
            context.pointee.sample_fmt = AV_SAMPLE_FMT_S16
            context.pointee.sample_rate = Int32(sampleRate)
            context.pointee.time_base = AVRational(num: 1, den: Int32(sampleRate))
            av_channel_layout_default(&context.pointee.ch_layout, Int32(channels))
        }
        frameSize = Int(context.pointer.pointee.frame_size)
        information = context.extradata
        guard frameSize > 0, information.count == 34 else {
            throw .partMissing("STREAMINFO of flac")
        }
        let frame = block.pointer
        frame.pointee.nb_samples = Int32(frameSize)
        frame.pointee.format = AV_SAMPLE_FMT_S16.rawValue
        frame.pointee.sample_rate = Int32(sampleRate)
        av_channel_layout_default(&frame.pointee.ch_layout, Int32(channels))
        try check(av_frame_get_buffer(frame, 0), "av_frame_get_buffer")
    }

    /// What precedes the frames of a file.
    ///
    /// - Parameter samples: per channel, of the whole file. Its digest is left open, as are the
    ///   sizes of its frames.
    public func header(samples: Int64) -> [UInt8] {
        var information = information
        // 36 bits that end at byte 18; the four before them are of the depth.
        let count = UInt64(max(0, samples)) & 0xF_FFFF_FFFF
        information[13] = information[13] & 0xF0 | UInt8(count >> 32)
        for index in 0..<4 {
            information[14 + index] = UInt8(truncatingIfNeeded: count >> UInt64(8 * (3 - index)))
        }
        for index in 18..<34 { information[index] = 0 }
        // The only block of metadata.
        return Array("fLaC".utf8) + [0x80, 0, 0, 34] + information
    }

    /// Encodes one block.
    ///
    /// - Parameter samples: of all channels in turn: `frameSize` each, fewer only in the last block.
    /// - Throws: `.sampleCount`.
    public func encode(_ samples: [Int16]) throws(CodecError) -> [[UInt8]] {
        guard !samples.isEmpty, samples.count <= frameSize * channels,
            samples.count.isMultiple(of: channels)
        else { throw .sampleCount(count: samples.count, expected: frameSize * channels) }
        let frame = block.pointer
        try check(av_frame_make_writable(frame), "av_frame_make_writable")
        guard let data = frame.pointee.data.0 else { throw .outOfMemory }
        samples.withUnsafeBytes { bytes in
            UnsafeMutableRawPointer(data).copyMemory(
                from: bytes.baseAddress ?? UnsafeRawPointer(data), byteCount: bytes.count)
        }
        frame.pointee.nb_samples = Int32(samples.count / channels)
        frame.pointee.pts = position
        position += Int64(samples.count / channels)
        return try collect(frame)
    }

    /// Returns the last frames. The encoder takes no block after this.
    public func flush() throws(CodecError) -> [[UInt8]] { try collect(nil) }

    private func collect(
        _ frame: UnsafeMutablePointer<AVFrame>?
    ) throws(CodecError) -> [[UInt8]] {
        try context.encode(
            frame, through: packet, timescale: Int32(sampleRate), duration: Int64(frameSize)
        ).map(\.data).filter { !$0.isEmpty }
    }
}
