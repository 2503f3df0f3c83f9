internal import CLibAV
internal import MediaKernel

/// Encodes pictures of one size to VP8 or VP9 for a WebRTC sender: one packet per picture at
/// once, a constant bitrate. Not thread-safe: one owner at a time.
public final class VPXEncoder {
    public enum Format: String, Hashable, Sendable { case vp8, vp9 }

    public let settings: VideoEncoderSettings
    private let context: CodecContext
    private let packet: PacketHandle
    private let reference: FrameHandle

    /// `preset`, `bucket` and `bFramesMaximum` of the settings have no meaning here.
    ///
    /// - Throws: `.setting`, `.pictureSize`, `.partMissing` without libvpx.
    public init(_ format: Format, _ settings: VideoEncoderSettings) throws(CodecError) {
        try settings.validate()
        self.settings = settings
        packet = try PacketHandle()
        reference = try FrameHandle()
        let name = format == .vp8 ? "libvpx" : "libvpx-vp9"
        let options = [
            ("deadline", "realtime"), ("cpu-used", "8"), ("lag-in-frames", "0"),
            ("auto-alt-ref", "0"), ("undershoot-pct", "100"), ("overshoot-pct", "15"),
            // A keyframe of at most three times a picture's share, so that it is not a burst.
            ("max-intra-rate", "300"),
        ]
        context = try .open(try .encoder(named: name), options: options) { context in
            context.pointee.width = Int32(settings.width)
            context.pointee.height = Int32(settings.height)
            context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
            context.pointee.time_base = AVRational(num: 1, den: Int32(settings.frameRate))
            context.pointee.framerate = AVRational(num: Int32(settings.frameRate), den: 1)
            context.pointee.gop_size = Int32(settings.keyframeInterval)
            context.pointee.bit_rate = Int64(settings.bitrate)
            context.pointee.rc_min_rate = Int64(settings.bitrate)
            context.pointee.rc_max_rate = Int64(settings.bitrate)
            context.pointee.rc_buffer_size = Int32(settings.bitrate)
            context.pointee.qmin = 4
            context.pointee.qmax = 56
            context.pointee.thread_count = Int32(settings.threads)
        }
    }

    /// Encodes the frame that is shown at `index / frameRate` seconds. Indices rise by one.
    ///
    /// - Throws: `.pictureSize` unless the frame has the encoder's size.
    public func encode(
        _ frame: VideoFrame, index: Int64, forceKeyframe: Bool
    ) throws(CodecError) -> [EncodedPacket] {
        guard frame.width == settings.width, frame.height == settings.height else {
            throw .pictureSize(width: frame.width, height: frame.height)
        }
        let pointer = reference.pointer
        try check(av_frame_ref(pointer, frame.handle.pointer), "av_frame_ref")
        defer { av_frame_unref(pointer) }
        pointer.pointee.pts = index
        pointer.pointee.pict_type = forceKeyframe ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        return try context.encode(
            pointer, through: packet, timescale: Int32(settings.frameRate), duration: 1)
    }
}
