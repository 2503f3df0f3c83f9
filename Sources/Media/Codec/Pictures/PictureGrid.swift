internal import CLibAV

/// Pictures of one size in rows and columns, for a JPEG file. A single picture is a sheet with one
/// place.
///
/// Not thread-safe: one owner at a time.
public final class PictureGrid {
    /// Of the whole sheet; JPEG's own limit is 65535.
    public static let sideMaximum = VideoFrame.sideMaximum

    public let columns: Int
    public let rows: Int
    /// Of one picture, even.
    public let width: Int
    public let height: Int

    private let canvas: FrameHandle
    private var scaler: OpaquePointer?
    /// Of the scaler's input.
    private var source: (width: Int, height: Int) = (0, 0)

    /// - Parameters:
    ///   - width: of one picture. Even, as chroma has half of it.
    ///   - height: of one picture, even.
    /// - Throws: `.pictureSize` for odd sides and for a sheet that is too large; `.outOfMemory`.
    public init(
        columns: Int = 1, rows: Int = 1, width: Int, height: Int
    ) throws(CodecError) {
        let sides = 2...Self.sideMaximum
        guard columns > 0, rows > 0, sides.contains(width), sides.contains(height),
            width.isMultiple(of: 2), height.isMultiple(of: 2),
            columns <= Self.sideMaximum / width, rows <= Self.sideMaximum / height
        else { throw .pictureSize(width: width, height: height) }
        self.columns = columns
        self.rows = rows
        self.width = width
        self.height = height
        canvas = try FrameHandle()
        let frame = canvas.pointer
        frame.pointee.width = Int32(columns * width)
        frame.pointee.height = Int32(rows * height)
        // JFIF: BT.601 like all pictures here, but in full range.
        frame.pointee.format = AV_PIX_FMT_YUVJ420P.rawValue
        frame.pointee.color_range = AVCOL_RANGE_JPEG
        frame.pointee.colorspace = AVCOL_SPC_SMPTE170M
        try check(av_frame_get_buffer(frame, 0), "av_frame_get_buffer")
        let planes = MutablePlanes(frame)
        planes.y.bytes.update(repeating: 0)
        planes.u.bytes.update(repeating: 128)
        planes.v.bytes.update(repeating: 128)
    }

    deinit { sws_freeContext(scaler) }

    /// Scales a picture to fill a place.
    ///
    /// - Parameter place: from 0, row by row.
    /// - Throws: `.library`, `.outOfMemory`.
    /// - Precondition: the sheet has the place.
    public func put(_ frame: VideoFrame, at place: Int) throws(CodecError) {
        precondition((0..<columns * rows).contains(place), "a place on the sheet")
        try prepare(width: frame.width, height: frame.height)
        let x = place % columns * width
        let y = place / columns * height
        let target = canvas.pointer.pointee
        let strides = [target.linesize.0, target.linesize.1, target.linesize.2, 0]
        let planes = [
            target.data.0.map { $0 + y * Int(strides[0]) + x },
            target.data.1.map { $0 + y / 2 * Int(strides[1]) + x / 2 },
            target.data.2.map { $0 + y / 2 * Int(strides[2]) + x / 2 },
            nil,
        ]
        let picture = frame.handle.pointer.pointee
        let data = [picture.data.0, picture.data.1, picture.data.2, nil]
        let lines = [picture.linesize.0, picture.linesize.1, picture.linesize.2, 0]
        let count = sws_scale(
            scaler, data.map { $0.map { UnsafePointer($0) } }, lines, 0, picture.height, planes,
            strides)
        withExtendedLifetime(frame) {}
        try check(count, "sws_scale")
    }

    private func prepare(width: Int, height: Int) throws(CodecError) {
        guard scaler == nil || source != (width, height) else { return }
        sws_freeContext(scaler)
        scaler = sws_getContext(
            Int32(width), Int32(height), AV_PIX_FMT_YUV420P, Int32(self.width),
            Int32(self.height), AV_PIX_FMT_YUVJ420P, Int32(SWS_AREA), nil, nil, nil)
        guard scaler != nil else { throw .outOfMemory }
        source = (width, height)
        let matrix = sws_getCoefficients(Int32(SWS_CS_ITU601))
        try check(
            sws_setColorspaceDetails(scaler, matrix, 0, matrix, 1, 0, 1 << 16, 1 << 16),
            "sws_setColorspaceDetails")
    }

    /// The sheet's present state as a JPEG file.
    ///
    /// - Parameter quality: 1 (best) to 31.
    /// - Throws: `.partMissing`, `.library`, `.outOfMemory`.
    public func jpeg(quality: Int = 4) throws(CodecError) -> [UInt8] {
        let packet = try PacketHandle()
        let size = canvas.pointer.pointee
        let context = try CodecContext.open(try .encoder(named: "mjpeg")) { context in
            context.pointee.width = size.width
            context.pointee.height = size.height
            context.pointee.pix_fmt = AV_PIX_FMT_YUVJ420P
            context.pointee.color_range = AVCOL_RANGE_JPEG
            context.pointee.colorspace = AVCOL_SPC_SMPTE170M
            context.pointee.time_base = AVRational(num: 1, den: 1)
            context.pointee.thread_count = 1
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            context.pointee.global_quality = Int32(quality) * FF_QP2LAMBDA
        }
        canvas.pointer.pointee.quality = Int32(quality) * FF_QP2LAMBDA
        canvas.pointer.pointee.pts = 0
        var bytes: [UInt8] = []
        for frame in [canvas.pointer, nil] {
            for packet in try context.encode(frame, through: packet, timescale: 1, duration: 1) {
                bytes += packet.data
            }
        }
        return bytes
    }
}
