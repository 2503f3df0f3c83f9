internal import CLibAV
internal import MediaKernel
internal import Synchronization

/// A picture with transparency, such as a logo or a photograph: 8-bit B, G, R, A in this order,
/// rows without gaps, colours not multiplied by alpha. Never changed once made.
public final class StillPicture: Sendable {
    /// The largest picture that is decoded, 4096 by 4096: telephones' 12 megapixels (4032 by 3024,
    /// 4080 by 3072) and 16 (4624 by 3468) are below it.
    public static let pixelsMaximum = 1 << 24

    public let width: Int
    public let height: Int
    public let pixels: [UInt8]
    /// A number that no other picture has had in this process.
    public let number: UInt64

    private static let lastNumber = Atomic<UInt64>(0)
    /// Held while a file is decoded.
    private static let turn = Mutex(())

    /// - Precondition: four bytes for each of at least one pixel.
    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(width > 0 && height > 0 && pixels.count == width * height * 4)
        self.width = width
        self.height = height
        self.pixels = pixels
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Decodes a PNG, JPEG, WebP or GIF file and turns it upright; of an animation it decodes the
    /// first picture.
    ///
    /// Decodes one file at a time in this process, other callers wait: before it is scaled down, a
    /// picture may take 64 MiB, and twice that with 16 bits a colour.
    ///
    /// - Parameter sideMaximum: larger pictures are scaled down to it.
    /// - Throws: `.packetSize`, `.partMissing` for other files, `.library` for damaged ones,
    ///   `.pictureSize`, `.pixelFormat`, `.outOfMemory`.
    public static func decode(
        _ file: [UInt8], sideMaximum: Int = 1920
    ) throws(CodecError) -> StillPicture {
        let maximum = PictureFormat.bytesMaximum
        guard file.count <= maximum else {
            throw .packetSize(count: file.count, maximum: maximum)
        }
        guard let codec = PictureFormat(of: file)?.codec else {
            throw .partMissing("a picture in this format")
        }
        let still = codec == AV_CODEC_ID_WEBP ? WebPAnimation.firstPicture(of: file) ?? file : file
        return try turn.withLock { _ throws(CodecError) in
            try decode(still, codec, sideMaximum: sideMaximum)
        }
    }

    private static func decode(
        _ file: [UInt8], _ codec: AVCodecID, sideMaximum: Int
    ) throws(CodecError) -> StillPicture {
        let packet = try PacketHandle()
        try packet.fill(file, timestamp: 0, maximum: PictureFormat.bytesMaximum)
        let context = try CodecContext.open(try .decoder(for: codec)) { context in
            context.pointee.thread_count = 1
            context.pointee.max_pixels = Int64(pixelsMaximum)
        }
        try check(avcodec_send_packet(context.pointer, packet.pointer), "avcodec_send_packet")
        // Some decoders hold the first picture back until they know that there is no second one.
        avcodec_send_packet(context.pointer, nil)
        let frame = try FrameHandle()
        try check(avcodec_receive_frame(context.pointer, frame.pointer), "avcodec_receive_frame")
        return try converted(frame.pointer, sideMaximum: sideMaximum)
    }

    private static func converted(
        _ source: UnsafeMutablePointer<AVFrame>, sideMaximum: Int
    ) throws(CodecError) -> StillPicture {
        let picture = source.pointee
        let (width, height) = (Int(picture.width), Int(picture.height))
        guard width > 0, height > 0, width * height <= pixelsMaximum else {
            throw .pictureSize(width: width, height: height)
        }
        let format = AVPixelFormat(picture.format)
        guard sws_isSupportedInput(format) > 0 else { throw .pixelFormat(picture.format) }
        let longest = max(width, height, 1)
        let scale = min(1, Double(sideMaximum) / Double(longest))
        let newWidth = max(1, Int((Double(width) * scale).rounded()))
        let newHeight = max(1, Int((Double(height) * scale).rounded()))
        guard
            let context = sws_getContext(
                picture.width, picture.height, format, Int32(newWidth), Int32(newHeight),
                AV_PIX_FMT_BGRA, Int32(SWS_AREA), nil, nil, nil)
        else { throw .outOfMemory }
        defer { sws_freeContext(context) }
        // The library writes whole vectors: rows have some room at their end.
        let stride = (newWidth * 4 + 63) & ~63
        var padded = [UInt8](repeating: 0, count: stride * newHeight + 64)
        let data = picture.data
        let lines = picture.linesize
        let rows = padded.withUnsafeMutableBufferPointer { buffer in
            sws_scale(
                context, [data.0, data.1, data.2, data.3].map { $0.map { UnsafePointer($0) } },
                [lines.0, lines.1, lines.2, lines.3], 0, picture.height,
                [buffer.baseAddress, nil, nil, nil], [Int32(stride), 0, 0, 0])
        }
        try check(rows, "sws_scale")
        let orientation = PictureOrientation(of: source) ?? .asStored
        let size = orientation.size(width: newWidth, height: newHeight)
        return StillPicture(
            width: size.width, height: size.height,
            pixels: orientation.upright(
                padded, stride: stride, width: newWidth, height: newHeight))
    }
}

extension PictureFormat {
    fileprivate var codec: AVCodecID {
        switch self {
        case .png: AV_CODEC_ID_PNG
        case .jpeg: AV_CODEC_ID_MJPEG
        case .webP: AV_CODEC_ID_WEBP
        case .gif: AV_CODEC_ID_GIF
        }
    }
}
