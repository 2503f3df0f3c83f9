internal import CLibAV
internal import MediaKernel

/// Encodes pictures of one size to H.264 High profile: constant frame rate, closed groups of
/// pictures, IDR pictures exactly where they are requested. By x264 or by hardware.
///
/// Pictures go in by reference. Packets come out in decoding order, `delay` frames later.
/// Not thread-safe: one owner at a time.
public final class H264Encoder {
    public let settings: VideoEncoderSettings
    public let backend: H264Backend
    public let parameterSets: H264ParameterSets
    private let context: CodecContext
    private let packet: PacketHandle
    private let input: EncoderInput
    private var hasEmitted = false

    /// - Throws: `.setting` or `.pictureSize` for settings out of range or an unknown preset,
    ///   `.partMissing` when the library was built without this encoder, `.library` without the
    ///   hardware.
    public init(
        _ settings: VideoEncoderSettings, backend: H264Backend = .x264
    ) throws(CodecError) {
        try settings.validate()
        guard let preset = H264Preset(rawValue: settings.preset) else {
            throw .setting(name: "preset", value: settings.preset)
        }
        self.settings = settings
        self.backend = backend
        packet = try PacketHandle()
        let input = try EncoderInput(
            backend.pictureForm, width: settings.width, height: settings.height)
        self.input = input
        let pixels = settings.width * settings.height
        let bFramesMaximum =
            settings.isImmediate
            ? 0 : settings.bFramesMaximum ?? backend.bFramesMaximum(preset, pixels: pixels)
        context = try .open(
            try .encoder(named: backend.encoderName),
            options: settings.isImmediate
                ? backend.optionsHoldingNothingBack(preset, pixels: pixels)
                : backend.options(preset, pixels: pixels)
        ) { context throws(CodecError) in
            Self.configure(context, settings, backend, bFramesMaximum)
            try input.attach(to: context)
        }
        guard let parameterSets = H264ParameterSets(annexB: context.extradata) else {
            throw .partMissing("parameter sets of \(backend.encoderName)")
        }
        self.parameterSets = parameterSets
    }

    /// The values of `VideoEncoderSettings.preset`: Roomcast's own presets, then x264's, fast to
    /// slow. Hardware has its own presets and ignores these.
    public static let presets = H264Preset.allCases.map(\.rawValue)

    /// Encodes the frame that is shown at `index / frameRate` seconds. Indices rise by one.
    ///
    /// - Parameter forceKeyframe: makes this frame an IDR picture.
    /// - Throws: `.pictureSize` unless the frame has the encoder's size.
    public func encode(
        _ frame: VideoFrame, index: Int64, forceKeyframe: Bool
    ) throws(CodecError) -> [EncodedPacket] {
        guard frame.width == settings.width, frame.height == settings.height else {
            throw .pictureSize(width: frame.width, height: frame.height)
        }
        let pointer = try input.load(frame)
        defer { input.unload() }
        pointer.pointee.pts = index
        pointer.pointee.pict_type = forceKeyframe ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        return try collect(pointer)
    }

    /// Returns the packets of the frames still inside. The encoder takes no frame after this.
    public func flush() throws(CodecError) -> [EncodedPacket] {
        try collect(nil)
    }

    /// Encodes one black picture. The encoder takes no frame after this.
    ///
    /// - Throws: `.partMissing` when no IDR picture comes out, or the library's error.
    public func prove() throws(CodecError) {
        let picture = try VideoFrame.solid(
            width: settings.width, height: settings.height, colour: .black)
        var packets = try encode(picture, index: 0, forceKeyframe: true)
        packets += try flush()
        guard packets.first?.isKeyframe == true else {
            throw .partMissing("a picture of \(backend.encoderName)")
        }
    }

    private func collect(
        _ frame: UnsafeMutablePointer<AVFrame>?
    ) throws(CodecError) -> [EncodedPacket] {
        var packets = try context.encode(
            frame, through: packet, timescale: Int32(settings.frameRate), duration: 1)
        if !hasEmitted, let first = packets.first {
            hasEmitted = true
            packets[0].data = Self.fromDelimiter(first.data)
        }
        return packets
    }

    /// libavcodec puts x264's banner (an SEI message that lists our settings) in front of the
    /// first access unit, where nothing may precede the delimiter (H.264 sect. 7.4.1.2.3).
    private static func fromDelimiter(_ data: [UInt8]) -> [UInt8] {
        let delimiter: [UInt8] = [0, 0, 0, 1, 9]
        let last = data.count - delimiter.count
        let start = (0...max(0, last)).first { data[$0...].starts(with: delimiter) }
        return Array(data[(start ?? 0)...])
    }

    /// The parameters that the muxer needs.
    public var streamParameters: VideoStreamParameters {
        VideoStreamParameters(
            width: settings.width, height: settings.height, frameRate: settings.frameRate,
            parameterSets: parameterSets)
    }

    private static func configure(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ settings: VideoEncoderSettings,
        _ backend: H264Backend, _ bFramesMaximum: Int?
    ) {
        context.pointee.width = Int32(settings.width)
        context.pointee.height = Int32(settings.height)
        context.pointee.pix_fmt = backend.pictureForm.pixelFormat
        context.pointee.color_range = AVCOL_RANGE_MPEG
        context.pointee.colorspace = AVCOL_SPC_SMPTE170M
        context.pointee.color_primaries = AVCOL_PRI_SMPTE170M
        context.pointee.color_trc = AVCOL_TRC_SMPTE170M
        context.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
        context.pointee.time_base = AVRational(num: 1, den: Int32(settings.frameRate))
        context.pointee.framerate = AVRational(num: Int32(settings.frameRate), den: 1)
        context.pointee.gop_size = Int32(settings.keyframeInterval)
        context.pointee.keyint_min = Int32(settings.keyframeInterval)
        context.pointee.bit_rate = Int64(settings.bitrate)
        if let bucket = settings.bucket {
            context.pointee.rc_max_rate = Int64(bucket.bitrateMaximum)
            context.pointee.rc_buffer_size = Int32(bucket.bufferBits)
        }
        context.pointee.thread_count = Int32(settings.threads)
        if let bFramesMaximum {
            context.pointee.max_b_frames = Int32(bFramesMaximum)
        }
        // The global header provides the parameter sets before the first picture.
        context.pointee.flags |=
            Int32(bitPattern: AV_CODEC_FLAG_CLOSED_GOP) | AV_CODEC_FLAG_GLOBAL_HEADER
    }
}
