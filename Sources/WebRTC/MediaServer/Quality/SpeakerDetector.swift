import MediaKernel
import RTP

/// The loudness of one audio track over the reporting interval, from the audio-level header
/// extension (RFC 6464): no decoding.
struct SpeakerDetector {
    /// Below this nobody would call it speech. dBov, 0 is full scale.
    static let threshold = 50
    private var loudest: Int?

    mutating func heard(_ level: AudioLevel) {
        let value = Int(level.level)
        guard level.voice || value < Self.threshold else { return }
        loudest = min(loudest ?? Int(AudioLevel.silence), value)
    }

    /// 1…100 for a track that was heard in the interval that ends now, and starts the next one.
    mutating func takeLevel() -> Int? {
        defer { loudest = nil }
        guard let loudest, loudest < Self.threshold else { return nil }
        return max(1, 100 - loudest * 100 / Self.threshold)
    }
}
