/// A trade-off between picture quality and CPU: two that were measured for rooms, then x264's own,
/// fast to slow.
enum H264Preset: String, CaseIterable {
    case balanced, sharp
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow

    /// The libx264 options of the preset, for pictures of this many pixels.
    func options(pixels: Int) -> [(name: String, value: String)] {
        let isSmall = Self.isSmall(pixels)
        switch self {
        case .balanced:
            return Self.room + (isSmall ? Self.exact + Self.trellis : Self.coarse + Self.light)
        case .sharp:
            return Self.room + Self.exact + (isSmall ? Self.trellis + Self.fine : Self.coarse)
        case .ultrafast, .superfast, .veryfast, .faster, .fast, .medium, .slow, .slower,
            .veryslow:
            return [("preset", rawValue)]
        }
    }

    /// B-frames between others, for pictures of this many pixels; nil is x264's three. With two,
    /// large pictures cost 6 % less CPU without a loss of PSNR; small ones lose 0.05 dB.
    func bFramesMaximum(pixels: Int) -> Int? {
        self == .balanced && !Self.isSmall(pixels) ? 2 : nil
    }

    /// What is added where nothing may be held back: without B-frames and look-ahead, `balanced` has
    /// a fifth of its CPU to spare. Back to its cost, this is worth 0.2 dB.
    func immediateOptions(pixels: Int) -> [(name: String, value: String)] {
        guard self == .balanced else { return [] }
        return Self.isSmall(pixels) ? Self.fine : Self.trellis
    }

    /// `superfast` with the options that bring its quality close to that of `veryfast`.
    /// Measured on natural clips in 2x2, 1280x720 at 2000 and 640x360 at 600 kbit/s; the figures
    /// are in docs/BENCHMARKS.md.
    private static let room: [(name: String, value: String)] = [
        ("preset", "superfast"),
        // Bits go to the areas that later pictures are predicted from: 0.6 dB. A look-ahead of ten
        // pictures is enough, since it is delay; forty would give 0.1 dB more.
        ("mbtree", "1"),
        ("rc-lookahead", "10"),
        // A constant number of B-frames: choosing it adaptively gains nothing here.
        ("b_strategy", "0"),
        // Fewer bits moved to flat areas than the preset's 1.0: 0.25 dB, at the same SSIM.
        ("aq-strength", "0.5"),
    ]

    /// Pictures up to this size have the details of large ones in fewer pixels, lose most with a
    /// fast preset, and cost a quarter.
    private static func isSmall(_ pixels: Int) -> Bool { pixels <= 640 * 360 }

    /// Motion to a quarter of a pixel: the main difference between veryfast and superfast, and its
    /// most expensive part. 0.3 dB.
    private static let exact: [(name: String, value: String)] = [("subq", "2")]
    /// Quantization by rate-distortion cost: 0.15 dB for a tenth of the small picture's CPU.
    private static let trellis: [(name: String, value: String)] = [("trellis", "1")]
    /// Motion of smaller blocks: 0.1 dB for a seventh of it.
    private static let fine: [(name: String, value: String)] = [
        ("partitions", "p8x8,b8x8,i8x8,i4x4")
    ]
    /// Without the smallest blocks that are predicted from their neighbours: 0.06 dB more, and
    /// cheaper.
    private static let coarse: [(name: String, value: String)] = [("partitions", "i8x8")]
    /// No picture is predicted from a B-frame, so B-frames are not deblocked and interpolated: 10 %
    /// of the CPU for 0.08 dB, with two instead of three in a row.
    private static let light: [(name: String, value: String)] = [("b-pyramid", "none")]
}
