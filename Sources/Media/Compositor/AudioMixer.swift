/// Adds up the room's voices and keeps the sum's true peak below the ceiling without clipping.
///
/// **Time.** A block comes out `latency` samples late: its first pair is the one that went in
/// `latency` pairs before the block's first. The caller subtracts it when it numbers samples.
public struct AudioMixer: Sendable {
    public static let channels = 2
    /// Samples per channel between input and output.
    public static let latency = LookaheadLimiter.lookahead
    /// -2 dBTP, which leaves -1 dBTP after a player's decoding: AAC adds peaks of its own, at 64
    /// kbit/s up to 1.5 dB above the input's.
    public static let ceiling: Float = 0.794_3
    /// The limit of a voice; louder samples are damaged and cut. Four times full scale.
    private static let sampleMaximum: Float = 4

    private var limiter: LookaheadLimiter

    /// - Parameter lowestBitrate: of the AAC that the mix is encoded to, in bits per second.
    public init(lowestBitrate: Int = 64_000) {
        // At the top of the band four times the rate misses 0.7 dB of a peak.
        limiter = LookaheadLimiter(ceiling: Self.ceiling(forBitrate: lowestBitrate) * 0.925)
    }

    /// The fewer bits AAC has, the higher its own peaks are: for shouting voices, up to 3.1 dB
    /// above the input's from 24 kbit/s on, and 5.7 dB at 16.
    public static func ceiling(forBitrate bitrate: Int) -> Float {
        switch bitrate {
        // -7 dBTP.
        case ..<24_000: 0.446_7
        // -4.5 dBTP.
        case ..<64_000: 0.595_7
        default: ceiling
        }
    }

    /// Mixes blocks of interleaved stereo; the longest one gives the length, and silence follows
    /// shorter ones.
    public mutating func mix(sources: [[Float]]) -> [Float] {
        mix(sources: sources, frames: (sources.map(\.count).max() ?? 0) / Self.channels)
    }

    /// Mixes blocks of interleaved stereo into `frames` pairs. Silence follows shorter sources,
    /// longer ones are cut; no sources give silence.
    public mutating func mix(sources: [[Float]], frames: Int) -> [Float] {
        let count = max(0, frames) * Self.channels
        return [Float](unsafeUninitializedCapacity: count) { output, initialized in
            output.initialize(repeating: 0)
            for source in sources { Self.add(source, to: output) }
            limiter.process(output)
            initialized = count
        }
    }

    private static func add(_ source: [Float], to output: UnsafeMutableBufferPointer<Float>) {
        source.withUnsafeBufferPointer { source in
            for n in 0..<min(source.count, output.count) {
                // Without branches, so that the compiler can add several samples at a time.
                let sample = source[n] == source[n] ? source[n] : 0
                let bounded = sample > sampleMaximum ? sampleMaximum : sample
                output[n] += bounded < -sampleMaximum ? -sampleMaximum : bounded
            }
        }
    }
}
