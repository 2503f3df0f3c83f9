internal import CLibAV

/// An implementation of an H.264 encoder: a library on the CPU, or a part of a graphics processor.
public enum H264Backend: String, Hashable, Sendable, CaseIterable {
    case x264
    /// NVIDIA's encoder.
    case nvenc
    /// Intel's encoder by its own library.
    case qsv
    /// Intel's and AMD's encoders by the Video Acceleration API.
    case vaapi

    /// The backends for a setting's value, in the order in which to try them; nil for an unknown
    /// value.
    ///
    /// `auto` tries all hardware; a hardware's name tries that one. x264 is always the last,
    /// because a stream on the CPU is better than none.
    public static func candidates(for choice: String) -> [H264Backend]? {
        if choice == "auto" { return [.nvenc, .qsv, .vaapi, .x264] }
        guard let backend = H264Backend(rawValue: choice) else { return nil }
        return backend == .x264 ? [.x264] : [backend, .x264]
    }

    /// Opens the first of `candidates` that can be opened. Hardware must pass a test encoding
    /// first: some drivers open encoders that then fail.
    ///
    /// - Parameters:
    ///   - refused: called for each backend that failed, with the reason.
    ///   - prove: uses up an encoder to test whether it encodes.
    /// - Throws: the last one's error when all have failed.
    public static func open<Encoder>(
        firstOf candidates: [H264Backend], refused: (H264Backend, CodecError) -> Void,
        open: (H264Backend) throws(CodecError) -> Encoder,
        prove: (Encoder) throws(CodecError) -> Void
    ) throws(CodecError) -> Encoder {
        var latest = CodecError.partMissing("H.264 encoder")
        for candidate in candidates {
            do throws(CodecError) {
                if candidate != .x264 { try prove(try open(candidate)) }
                return try open(candidate)
            } catch {
                latest = error
                refused(candidate, error)
            }
        }
        throw latest
    }

    var encoderName: String {
        switch self {
        case .x264: "libx264"
        case .nvenc: "h264_nvenc"
        case .qsv: "h264_qsv"
        case .vaapi: "h264_vaapi"
        }
    }

    var pictureForm: EncoderInput.Form {
        switch self {
        case .x264, .nvenc: .planar
        case .qsv: .interleaved
        case .vaapi: .surface
        }
    }

    /// A constant rate, IDR pictures only where they are forced, and access unit delimiters, which
    /// transport streams require (H.222.0 sect. 2.14.1).
    func options(_ preset: H264Preset, pixels: Int) -> [(name: String, value: String)] {
        switch self {
        case .x264:
            // An IDR picture elsewhere would only cost bits; weighted prediction is for fades,
            // which rooms do not show.
            preset.options(pixels: pixels) + [
                ("profile", "high"), ("forced-idr", "1"), ("sc_threshold", "0"),
                ("weightp", "none"), ("x264-params", "repeat-headers=1:aud=1:force-cfr=1"),
            ]
        case .nvenc:
            [
                ("preset", "p4"), ("profile", "high"), ("rc", "vbr"), ("forced-idr", "1"),
                ("no-scenecut", "1"), ("spatial-aq", "1"), ("delay", "0"), ("aud", "1"),
            ]
        case .qsv:
            [
                ("preset", "medium"), ("profile", "high"), ("forced_idr", "1"),
                ("adaptive_i", "0"), ("async_depth", "1"), ("aud", "1"),
            ]
        case .vaapi:
            [("profile", "high"), ("rc_mode", "VBR"), ("async_depth", "1"), ("aud", "1")]
        }
    }

    /// The options with which nothing is held back.
    func optionsHoldingNothingBack(
        _ preset: H264Preset, pixels: Int
    ) -> [(name: String, value: String)] {
        let changes = immediateOptions(preset, pixels: pixels)
        return options(preset, pixels: pixels).filter { option in
            !changes.contains { $0.name == option.name }
        } + changes
    }

    /// The tree of macroblocks needs the look-ahead.
    private func immediateOptions(
        _ preset: H264Preset, pixels: Int
    ) -> [(name: String, value: String)] {
        switch self {
        case .x264:
            [("rc-lookahead", "0"), ("mbtree", "0")] + preset.immediateOptions(pixels: pixels)
        case .nvenc: [("zerolatency", "1"), ("rc-lookahead", "0")]
        case .qsv: [("look_ahead", "0")]
        case .vaapi: []
        }
    }

    /// The most B-frames in a row if the settings leave it to the encoder; nil leaves it to the
    /// library. Older hardware has none, and fails to open with them.
    func bFramesMaximum(_ preset: H264Preset, pixels: Int) -> Int? {
        self == .x264 ? preset.bFramesMaximum(pixels: pixels) : 0
    }
}
