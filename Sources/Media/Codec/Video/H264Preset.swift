/// A trade of picture for CPU: two that were measured for rooms, then x264's own, fast to slow.
enum H264Preset: String, CaseIterable {
    case balanced, sharp
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow

    /// The options of libx264 that make it, for pictures of so many pixels.
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

    /// B-frames between others, for pictures of so many pixels; nil is x264's three. With two, large
    /// pictures cost 6 % less CPU for no PSNR; small ones lose 0.05 dB by it.
    func bFramesMaximum(pixels: Int) -> Int? {
        self == .balanced && !Self.isSmall(pixels) ? 2 : nil
    }

    /// `superfast` with the options that bring its quality close to that of `veryfast`.
    /// Measured on natural clips in 2x2, 1280x720 at 2000 and 640x360 at 600 kbit/s; the figures
    /// are in docs/BENCHMARKS.md.
    private static let room: [(name: String, value: String)] = [
        ("preset", "superfast"),
        // Bits go where later pictures are predicted from: 0.6 dB. Of the look-ahead, which is
        // delay, ten pictures are enough; forty would give 0.1 dB more.
        ("mbtree", "1"),
        ("rc-lookahead", "10"),
        // Always as many B-frames between others: choosing their number gains nothing here.
        ("b_strategy", "0"),
        // Fewer bits moved to flat areas than the preset's 1.0: 0.25 dB, at the same SSIM.
        ("aq-strength", "0.5"),
    ]

    /// Pictures up to this size have the details of large ones in fewer pixels, lose most by what
    /// a preset leaves out, and cost a quarter.
    private static func isSmall(_ pixels: Int) -> Bool { pixels <= 640 * 360 }

    /// Motion to a quarter of a pixel: what tells veryfast from superfast most, and its most
    /// expensive part. 0.3 dB.
    private static let exact: [(name: String, value: String)] = [("subq", "2")]
    /// Quantization by what it costs to code: 0.15 dB for a tenth of the small picture's CPU.
    private static let trellis: [(name: String, value: String)] = [("trellis", "1")]
    /// Motion of smaller blocks: 0.1 dB for a seventh.
    private static let fine: [(name: String, value: String)] = [
        ("partitions", "p8x8,b8x8,i8x8,i4x4")
    ]
    /// Without the smallest blocks that are predicted from their neighbours: 0.06 dB more, and
    /// cheaper.
    private static let coarse: [(name: String, value: String)] = [("partitions", "i8x8")]
    /// No picture is predicted from a B-frame, so none of them is deblocked and interpolated: 10 % of
    /// the CPU for 0.08 dB, where there are two and not three of them in a row.
    private static let light: [(name: String, value: String)] = [("b-pyramid", "none")]
}
