import Codec
import Glibc
import RTP

/// Measures the level of an Opus packet for the audio-level header extension. RFC 6464.
///
/// The level is the root mean square of the packet's samples below that of a full-scale square
/// wave, as in appendix A of the RFC.
final class AudioMeter {
    /// The level in -dBov from which a packet counts as silent.
    static let silence: UInt8 = 70
    private let decoder: OpusDecoder

    init() throws { decoder = try OpusDecoder() }

    /// A packet that cannot be decoded counts as silent.
    func level(of packet: [UInt8]) -> UInt8 {
        guard let samples = try? decoder.decode(packet) else { return AudioLevel.silence }
        return Self.level(of: samples)
    }

    static func level(of samples: [Float]) -> UInt8 {
        guard !samples.isEmpty else { return AudioLevel.silence }
        let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)
        guard power > 0 else { return AudioLevel.silence }
        let level = -decibels(power: power).rounded()
        return UInt8(min(max(level, 0), Double(AudioLevel.silence)))
    }

    private static func decibels(power: Double) -> Double { 10 * log10(power) }
}
