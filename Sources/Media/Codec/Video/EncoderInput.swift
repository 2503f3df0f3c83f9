internal import CLibAV

/// Converts pictures to the form that an encoder takes.
///
/// Not thread-safe: one owner at a time.
final class EncoderInput {
    enum Form {
        /// I420, the pictures' own form: nothing is copied.
        case planar
        /// NV12: luma unchanged, both chroma planes in one.
        case interleaved
        /// NV12 in the memory of a VA-API device.
        case surface

        var pixelFormat: AVPixelFormat {
            switch self {
            case .planar: AV_PIX_FMT_YUV420P
            case .interleaved: AV_PIX_FMT_NV12
            case .surface: AV_PIX_FMT_VAAPI
            }
        }
    }

    private enum Stage {
        case planar
        case interleaved(ChromaInterleaver)
        case surface(ChromaInterleaver, SurfacePool)
    }

    private let stage: Stage
    private let loaded: FrameHandle

    /// - Throws: `.library` when there is no such device, `.outOfMemory`.
    init(_ form: Form, width: Int, height: Int) throws(CodecError) {
        loaded = try FrameHandle()
        switch form {
        case .planar:
            stage = .planar
        case .interleaved:
            stage = .interleaved(try ChromaInterleaver(width: width, height: height))
        case .surface:
            stage = .surface(
                try ChromaInterleaver(width: width, height: height),
                try SurfacePool(width: width, height: height))
        }
    }

    /// Tells an encoder during its opening where its pictures will be.
    func attach(to context: UnsafeMutablePointer<AVCodecContext>) throws(CodecError) {
        guard case .surface(_, let pool) = stage else { return }
        context.pointee.hw_frames_ctx = try pool.newReference()
    }

    /// Lends `picture` in the encoder's form. Ends with `unload`.
    func load(_ picture: VideoFrame) throws(CodecError) -> UnsafeMutablePointer<AVFrame> {
        let source = picture.handle.pointer
        switch stage {
        case .planar:
            try check(av_frame_ref(loaded.pointer, source), "av_frame_ref")
        case .interleaved(let interleaver):
            try check(
                av_frame_ref(loaded.pointer, interleaver.interleave(source)), "av_frame_ref")
        case .surface(let interleaver, let pool):
            try pool.upload(interleaver.interleave(source), to: loaded.pointer)
        }
        return loaded.pointer
    }

    func unload() { av_frame_unref(loaded.pointer) }
}

/// Converts I420 to NV12.
final class ChromaInterleaver {
    private let context: OpaquePointer
    private let frame: FrameHandle

    init(width: Int, height: Int) throws(CodecError) {
        frame = try FrameHandle()
        let pointer = frame.pointer
        pointer.pointee.width = Int32(width)
        pointer.pointee.height = Int32(height)
        pointer.pointee.format = AV_PIX_FMT_NV12.rawValue
        pointer.pointee.color_range = AVCOL_RANGE_MPEG
        pointer.pointee.colorspace = AVCOL_SPC_SMPTE170M
        try check(av_frame_get_buffer(pointer, 0), "av_frame_get_buffer")
        guard
            let context = sws_getContext(
                Int32(width), Int32(height), AV_PIX_FMT_YUV420P, Int32(width), Int32(height),
                AV_PIX_FMT_NV12, Int32(SWS_POINT), nil, nil, nil)
        else { throw .outOfMemory }
        self.context = context
    }

    deinit { sws_freeContext(context) }

    /// The result is valid until the next call.
    func interleave(
        _ source: UnsafeMutablePointer<AVFrame>
    ) throws(CodecError) -> UnsafeMutablePointer<AVFrame> {
        let target = frame.pointer
        // An encoder may still hold the last picture.
        try check(av_frame_make_writable(target), "av_frame_make_writable")
        let from = source.pointee
        let to = target.pointee
        let rows = sws_scale(
            context,
            [
                UnsafePointer(from.data.0), UnsafePointer(from.data.1),
                UnsafePointer(from.data.2),
            ],
            [from.linesize.0, from.linesize.1, from.linesize.2], 0, from.height,
            [to.data.0, to.data.1], [to.linesize.0, to.linesize.1])
        try check(rows, "sws_scale")
        return target
    }
}

/// Pictures in the memory of the first VA-API device.
final class SurfacePool {
    /// The pictures that the encoder holds and waits for; drivers need a fixed number.
    private static let surfaces: Int32 = 20

    private let frames: UnsafeMutablePointer<AVBufferRef>

    init(width: Int, height: Int) throws(CodecError) {
        var device: UnsafeMutablePointer<AVBufferRef>?
        try check(
            av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VAAPI, nil, nil, 0),
            "av_hwdevice_ctx_create")
        defer { av_buffer_unref(&device) }
        guard let device, let frames = av_hwframe_ctx_alloc(device) else { throw .outOfMemory }
        self.frames = frames
        frames.pointee.data.withMemoryRebound(to: AVHWFramesContext.self, capacity: 1) { pool in
            pool.pointee.format = AV_PIX_FMT_VAAPI
            pool.pointee.sw_format = AV_PIX_FMT_NV12
            pool.pointee.width = Int32(width)
            pool.pointee.height = Int32(height)
            pool.pointee.initial_pool_size = Self.surfaces
        }
        try check(av_hwframe_ctx_init(frames), "av_hwframe_ctx_init")
    }

    deinit {
        var frames: UnsafeMutablePointer<AVBufferRef>? = frames
        av_buffer_unref(&frames)
    }

    func newReference() throws(CodecError) -> UnsafeMutablePointer<AVBufferRef> {
        guard let reference = av_buffer_ref(frames) else { throw .outOfMemory }
        return reference
    }

    func upload(
        _ source: UnsafeMutablePointer<AVFrame>, to target: UnsafeMutablePointer<AVFrame>
    ) throws(CodecError) {
        try check(av_hwframe_get_buffer(frames, target, 0), "av_hwframe_get_buffer")
        try check(
            av_hwframe_transfer_data(target, source, 0), "av_hwframe_transfer_data")
    }
}
