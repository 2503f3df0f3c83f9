/// The bitrates of a layer's complete set of segments.
///
/// RFC 8216 sect. 4.1 defines them: with the container's bytes, without those of HTTP.
struct SegmentBitrate: Hashable {
    /// The data about a segment that counts.
    struct Segment: Hashable {
        var byteCount: Int
        var frameCount: Int
    }

    /// Bits per second, rounded up, of the heaviest run of segments that lasts between half and one
    /// and a half of the target duration. At least the average, which is the only value for a
    /// recording that is shorter than such a run.
    let peak: Int
    /// Bits per second over all segments, rounded up.
    let average: Int

    /// Beyond any stream, and still a valid number in playlists. A log that a person has edited may
    /// contain anything.
    private static let maximum = 1e15

    /// - Parameters:
    ///   - segments: in the playlist's order; each of at least one frame.
    ///   - frameRate: frames per second.
    ///   - targetDuration: of the playlist, in seconds.
    init(_ segments: [Segment], frameRate: Int, targetDuration: Int) {
        average = Self.bitrate(of: segments[...], frameRate: frameRate)
        // In frames, so that exactly one and a half target durations still count.
        let target = targetDuration * frameRate
        var heaviest = average
        for first in segments.indices {
            var frameCount = 0
            for last in first..<segments.endIndex {
                frameCount += segments[last].frameCount
                guard 2 * frameCount <= 3 * target else { break }
                guard 2 * frameCount >= target else { continue }
                let rate = Self.bitrate(of: segments[first...last], frameRate: frameRate)
                heaviest = max(heaviest, rate)
            }
        }
        peak = heaviest
    }

    private static func bitrate(of segments: ArraySlice<Segment>, frameRate: Int) -> Int {
        let bytes = segments.reduce(0.0) { $0 + Double($1.byteCount) }
        let frames = segments.reduce(0) { $0 + $1.frameCount }
        guard frames > 0 else { return 0 }
        let rate = bytes * 8 * Double(frameRate) / Double(frames)
        return Int(min(rate.rounded(.up), maximum))
    }
}
