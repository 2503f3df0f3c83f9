internal import CLibAV

/// Converts pictures of any pixel format, depth, range and matrix to the format of `VideoFrame`.
///
/// Keeps the tables of the last conversion: a stream rarely changes its format.
struct PixelConverter: ~Copyable {
    private struct Key: Equatable {
        var width: Int32
        var height: Int32
        var format: Int32
        var isFullRange: Bool
        var matrix: Int32
    }

    private var context: OpaquePointer?
    private var key: Key?
    private var pool: FramePool?

    /// Matrices that mean BT.601, or none given: WebRTC's cameras and screens use BT.601. FCC's
    /// coefficients differ by one step at most.
    private static let ourMatrices: Set<UInt32> = Set(
        [AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_SMPTE170M, AVCOL_SPC_BT470BG, AVCOL_SPC_FCC]
            .map(\.rawValue))

    /// Whether `frame` is an I420 picture of limited range by BT.601 already.
    static func isConverted(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
        frame.pointee.format == AV_PIX_FMT_YUV420P.rawValue
            && frame.pointee.color_range != AVCOL_RANGE_JPEG
            && ourMatrices.contains(frame.pointee.colorspace.rawValue)
    }

    /// - Throws: `.pixelFormat` when the library cannot read the format.
    mutating func convert(
        _ source: UnsafeMutablePointer<AVFrame>
    ) throws(CodecError) -> VideoFrame {
        let picture = source.pointee
        let wanted = Key(
            width: picture.width, height: picture.height, format: picture.format,
            isFullRange: Self.isFullRange(picture), matrix: Int32(picture.colorspace.rawValue))
        if wanted != key { try prepare(wanted) }
        guard let pool, let context else { throw .pixelFormat(picture.format) }
        let target = try FrameHandle()
        try pool.attachBuffer(to: target.pointer)
        let rows = sws_scale(
            context, Self.readPointers(source), Self.strides(source), 0, picture.height,
            Self.writePointers(target.pointer), Self.strides(target.pointer))
        try check(rows, "sws_scale")
        return VideoFrame(adopting: target)
    }

    private mutating func prepare(_ wanted: Key) throws(CodecError) {
        key = nil
        sws_freeContext(context)
        context = nil
        guard sws_isSupportedInput(AVPixelFormat(wanted.format)) > 0 else {
            throw .pixelFormat(wanted.format)
        }
        pool = try FramePool(width: Int(wanted.width), height: Int(wanted.height))
        guard let fresh = sws_alloc_context() else { throw .outOfMemory }
        context = fresh
        let object = UnsafeMutableRawPointer(fresh)
        let options: [(String, Int64)] = [
            ("srcw", Int64(wanted.width)), ("srch", Int64(wanted.height)),
            ("src_format", Int64(wanted.format)), ("src_range", wanted.isFullRange ? 1 : 0),
            ("dstw", Int64(wanted.width)), ("dsth", Int64(wanted.height)),
            ("dst_format", Int64(AV_PIX_FMT_YUV420P.rawValue)), ("dst_range", 0),
            ("sws_flags", Int64(SWS_BILINEAR)),
        ]
        for (name, value) in options {
            try check(av_opt_set_int(object, name, value, 0), "av_opt_set_int")
        }
        try check(sws_init_context(fresh, nil, nil), "sws_init_context")
        // If the matrices differ, the library converts through R'G'B'. For an unknown or missing
        // matrix it uses BT.601's coefficients.
        sws_setColorspaceDetails(
            fresh, sws_getCoefficients(wanted.matrix), wanted.isFullRange ? 1 : 0,
            sws_getCoefficients(Int32(SWS_CS_ITU601)), 0, 0, 1 << 16, 1 << 16)
        key = wanted
    }

    deinit { sws_freeContext(context) }

    private static func isFullRange(_ picture: AVFrame) -> Bool {
        picture.color_range == AVCOL_RANGE_JPEG
            || picture.format == AV_PIX_FMT_YUVJ420P.rawValue
            || picture.format == AV_PIX_FMT_YUVJ422P.rawValue
            || picture.format == AV_PIX_FMT_YUVJ444P.rawValue
            || isRGB(picture.format)
    }

    private static func isRGB(_ format: Int32) -> Bool {
        guard let description = av_pix_fmt_desc_get(AVPixelFormat(format)) else { return false }
        return description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
    }

    private static func readPointers(
        _ frame: UnsafeMutablePointer<AVFrame>
    ) -> [UnsafePointer<UInt8>?] {
        writePointers(frame).map { $0.map { UnsafePointer($0) } }
    }

    private static func writePointers(
        _ frame: UnsafeMutablePointer<AVFrame>
    ) -> [UnsafeMutablePointer<UInt8>?] {
        let data = frame.pointee.data
        return [data.0, data.1, data.2, data.3]
    }

    private static func strides(_ frame: UnsafeMutablePointer<AVFrame>) -> [Int32] {
        let strides = frame.pointee.linesize
        return [strides.0, strides.1, strides.2, strides.3]
    }
}
