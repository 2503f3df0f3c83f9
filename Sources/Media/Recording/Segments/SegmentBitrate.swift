/// How many bits a second the segments of one layer take, all of which exist.
///
/// RFC 8216 sect. 4.1 says how that is counted: with the container's bytes, without those of HTTP.
struct SegmentBitrate: Hashable {
    /// What counts of one.
    struct Segment: Hashable {
        var byteCount: Int
        var frameCount: Int
    }

    /// Bits per second, rounded up, of the heaviest stretch that lasts between a half and one and a
    /// half times the target duration. Not below the average, which is all that can be said of a
    /// recording that is shorter than such a stretch.
    let peak: Int
    /// Bits per second over all segments, rounded up.
    let average: Int

    /// Beyond any stream, and still a number that playlists can hold. A log that somebody changed
    /// may say anything.
    private static let maximum = 1e15

    /// - Parameters:
    ///   - segments: in the playlist's order; each of a frame or more.
    ///   - frameRate: frames per second.
    ///   - targetDuration: of the playlist, in seconds.
    init(_ segments: [Segment], frameRate: Int, targetDuration: Int) {
        average = Self.bitrate(of: segments[...], frameRate: frameRate)
        // Counted in frames, so that a stretch of just one and a half is one.
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
