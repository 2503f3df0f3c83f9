internal import CLibAV

/// The video codecs that browsers send.
public enum VideoCodecKind: String, Hashable, Sendable, CaseIterable {
    case vp8, vp9, h264, av1

    var decoderName: String {
        switch self {
        case .vp8: "vp8"
        case .vp9: "vp9"
        case .h264: "h264"
        // FFmpeg's own AV1 decoder needs a GPU.
        case .av1: "libdav1d"
        }
    }
}

/// A decoded picture and its packet's timestamp.
public struct DecodedVideo: Sendable {
    public let frame: VideoFrame
    public let timestamp: Int64

    public init(frame: VideoFrame, timestamp: Int64) {
        self.frame = frame
        self.timestamp = timestamp
    }
}

/// Decodes one video stream. Resolution and pixel format may change at any keyframe.
///
/// Errors are per packet: after one the decoder is usable, and the pictures up to the next
/// keyframe may be damaged or missing. Not thread-safe: one owner at a time.
public final class VideoDecoder {
    /// The largest picture that a peer can make this process decode: one of 3840x2160 takes 12 MB,
    /// and a codec may hold a dozen.
    public static let pixelsMaximum = 3840 * 2160
    /// The largest packet that is decoded, in bytes.
    public static let packetBytesMaximum = 8 << 20
    /// A VP9 superframe holds 8 frames at most; other codecs give fewer per packet, except
    /// when flushed.
    static let framesPerCallMaximum = 64

    private let memory = DecoderMemory()
    private let context: CodecContext
    private let packet: PacketHandle
    private var converter = PixelConverter()

    /// - Parameters:
    ///   - threads: 1 costs the least and adds no delay; more are for large pictures.
    ///   - allowsReordering: whether to wait for pictures that are shown out of decoding order.
    ///     WebRTC never sends them; files may contain them.
    public init(
        codec: VideoCodecKind, threads: Int = 1, allowsReordering: Bool = false
    ) throws(CodecError) {
        packet = try PacketHandle()
        context = try .open(try .decoder(named: codec.decoderName)) { [memory] context in
            memory.serve(context)
            Self.configure(context, threads: threads, allowsReordering: allowsReordering)
        }
    }

    private static func configure(
        _ context: UnsafeMutablePointer<AVCodecContext>, threads: Int, allowsReordering: Bool
    ) {
        context.pointee.thread_count = Int32(max(1, min(threads, 16)))
        // Frame threads would delay every picture by one frame per thread.
        context.pointee.thread_type = FF_THREAD_SLICE
        context.pointee.max_pixels = Int64(pixelsMaximum)
        if !allowsReordering { context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY }
    }

    /// Decodes one packet: a VP8 or VP9 frame, an H.264 access unit in Annex B form, or an AV1
    /// temporal unit in low-overhead form.
    ///
    /// - Returns: the pictures that are now complete, usually one, in presentation order.
    /// - Throws: `.packetSize`, `.library` for damaged data, `.pixelFormat`, `.outOfMemory`.
    public func decode(
        _ data: [UInt8], timestamp: Int64
    ) throws(CodecError) -> [DecodedVideo] {
        try packet.fill(data, timestamp: timestamp, maximum: Self.packetBytesMaximum)
        let code = avcodec_send_packet(context.pointer, packet.pointer)
        av_packet_unref(packet.pointer)
        try check(code, "avcodec_send_packet")
        return try receive()
    }

    /// Returns the pictures that still waited for their turn; the decoder then starts anew at the
    /// next keyframe.
    public func flush() throws(CodecError) -> [DecodedVideo] {
        avcodec_send_packet(context.pointer, nil)
        defer { avcodec_flush_buffers(context.pointer) }
        return try receive()
    }

    private func receive() throws(CodecError) -> [DecodedVideo] {
        var pictures: [DecodedVideo] = []
        while pictures.count < Self.framesPerCallMaximum {
            let frame = try FrameHandle()
            let code = avcodec_receive_frame(context.pointer, frame.pointer)
            if code == av_shim_error_again || code == av_shim_error_end { break }
            try check(code, "avcodec_receive_frame")
            let timestamp = frame.pointer.pointee.pts
            let picture =
                PixelConverter.isConverted(frame.pointer)
                ? VideoFrame(adopting: frame) : try converter.convert(frame.pointer)
            pictures.append(DecodedVideo(frame: picture, timestamp: timestamp))
        }
        return pictures
    }
}
