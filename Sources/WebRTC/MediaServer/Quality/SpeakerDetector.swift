import MediaKernel
import RTP

/// The loudness of one audio track over the reporting interval, from the audio-level header
/// extension (RFC 6464). Needs no decoding.
struct SpeakerDetector {
    /// Quieter sound is not speech. In −dBov: 0 is full scale.
    static let threshold = 50
    private var loudest: Int?

    mutating func heard(_ level: AudioLevel) {
        let value = Int(level.level)
        guard level.voice || value < Self.threshold else { return }
        loudest = min(loudest ?? Int(AudioLevel.silence), value)
    }

    /// Returns 1…100 if the track was audible in the ending interval, and starts the next interval.
    mutating func takeLevel() -> Int? {
        defer { loudest = nil }
        guard let loudest, loudest < Self.threshold else { return nil }
        return max(1, 100 - loudest * 100 / Self.threshold)
    }
}
