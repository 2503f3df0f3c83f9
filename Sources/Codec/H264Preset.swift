/// A trade of picture for CPU: two that were measured for rooms, then x264's own, fast to slow.
enum H264Preset: String, CaseIterable {
    case balanced, sharp
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow

    /// The options of libx264 that make it.
    var options: [(name: String, value: String)] {
        switch self {
        case .balanced: Self.room
        // What tells veryfast from superfast most, and its most expensive part.
        case .sharp: Self.room + [("subq", "2")]
        case .ultrafast, .superfast, .veryfast, .faster, .fast, .medium, .slow, .slower,
            .veryslow:
            [("preset", rawValue)]
        }
    }

    /// `superfast` with what gives back most of its distance to `veryfast` for a tenth of its
    /// CPU. Measured on natural clips in 2x2, 1280x720 at 2000 and 640x360 at 600 kbit/s:
    /// half of `veryfast`'s CPU for 0.1 and 0.2 dB less; the figures are in docs/BENCHMARKS.md.
    private static let room: [(name: String, value: String)] = [
        ("preset", "superfast"),
        // Bits go where later pictures are predicted from: 0.6 dB. Of the look-ahead, which is
        // delay, twelve pictures are enough; forty would give 0.1 dB more.
        ("mbtree", "1"),
        ("rc-lookahead", "12"),
        // Always three B-frames between others: choosing their number gains nothing here.
        ("b_strategy", "0"),
        // Quantization by what it costs to code: 0.1 dB for a thirtieth of the CPU.
        ("trellis", "1"),
        // Fewer bits moved to flat areas than the preset's 1.0: 0.1 dB, at the same SSIM.
        ("aq-strength", "0.8"),
    ]
}
