public import MediaKernel

/// Decides by counting frames where segments begin.
///
/// Every layer counts the same frames, so all are cut at the same frame; wall-clock time does not
/// matter (docs/design/timeline.md, rule 6).
public struct SegmentPlanner: Hashable, Sendable {
    /// Frames per second.
    public let frameRate: Int
    /// Frames in every segment but the last.
    public let framesPerSegment: Int

    /// Milliseconds. Below, requests outweigh media; above, a viewer waits too long.
    public static let segmentMilliseconds = 500...20_000

    /// The frame count nearest to `segmentDuration`, halves up, at least one.
    public init(frameRate: Int, segmentDuration: Duration) throws(LadderError) {
        guard Ladder.frameRates.contains(frameRate) else {
            throw .frameRate(layer: 0, value: frameRate, allowed: Ladder.frameRates)
        }
        let (seconds, attoseconds) = segmentDuration.components
        // An absurd duration is clamped before it is multiplied; it is refused either way.
        let cut = min(max(seconds, -1), 1_000_000)
        let milliseconds = Int(cut * 1000 + attoseconds / 1_000_000_000_000_000)
        guard Self.segmentMilliseconds.contains(milliseconds) else {
            throw .segmentDuration(value: milliseconds, allowed: Self.segmentMilliseconds)
        }
        self.frameRate = frameRate
        let nanoseconds = Int(segmentDuration.nanoseconds)
        framesPerSegment = max(1, (nanoseconds * frameRate + 500_000_000) / 1_000_000_000)
    }

    /// The frames of every part of a segment but perhaps its last, for low-latency HLS: about a
    /// third of a second, so that players keep one second away from the newest part.
    ///
    /// A number that divides the segment is taken if it is near enough; else the last part is
    /// shorter, but not by much.
    public var framesPerPart: Int {
        func distance(_ frames: Int) -> Int { abs(3 * frames - frameRate) }
        let divisors = (1...framesPerSegment).filter { framesPerSegment.isMultiple(of: $0) }
        if let best = divisors.min(by: { distance($0) < distance($1) }),
            4 * distance(best) <= frameRate
        {
            return best
        }
        let parts = max(1, (6 * framesPerSegment + frameRate) / (2 * frameRate))
        return (framesPerSegment + parts - 1) / parts
    }

    public func isSegmentStart(frame: Int64) -> Bool {
        frame >= 0 && frame.isMultiple(of: Int64(framesPerSegment))
    }

    /// The segment, counted from 0, that holds the frame.
    public func segmentIndex(ofFrame frame: Int64) -> Int64 {
        precondition(frame >= 0, "frames count from 0")
        return frame / Int64(framesPerSegment)
    }

    public func firstFrame(ofSegment index: Int64) -> Int64 { index * Int64(framesPerSegment) }

    /// The exact duration of a number of frames.
    public func duration(ofFrames frames: Int) -> MediaTime {
        MediaTime(ticks: Int64(frames), timescale: Int32(frameRate))
    }

    /// The exact duration of every segment but the last.
    public var segmentDuration: MediaTime { duration(ofFrames: framesPerSegment) }

    /// The EXT-X-TARGETDURATION that these segments need, in seconds.
    public var targetDuration: Int { segmentDuration.wholeSeconds }
}
