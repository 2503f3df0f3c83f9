public import MediaKernel

/// The segments of an asset, and the place of each in it.
///
/// Includes only segments that every layer has, so that all layers have the same frames; paused
/// segments are left out, so that the recording has no gap in their place.
public struct RecordingPlan: Hashable, Sendable {
    /// One segment in all layers.
    public struct Part: Hashable, Sendable {
        /// One for each layer.
        public var layers: [SegmentRecord]
        /// Its place in the recording.
        public var firstFrame: Int64
        /// Its length: the longest of the layers', since the last segment of a run can lack
        /// pictures.
        public var frameCount: Int
        /// Whether it does not continue the previous part in the stream.
        public var isJoin: Bool
    }

    public let parts: [Part]
    public let layerCount: Int
    /// Frames per second.
    public let frameRate: Int
    /// Frames in total.
    public let frameCount: Int64

    /// One segment of the stream that is in the recording, or was paused.
    private struct Stretch: Hashable {
        /// Nanoseconds since 1970; not before the end of the previous one, whatever the clock did.
        var end: Int64
        /// Nil if it was paused.
        var part: Int?
    }

    private let stretches: [Stretch]

    private struct Key: Hashable {
        var run: Int64
        var firstFrame: Int64
    }

    /// - Parameters:
    ///   - layers: the logs, best layer first.
    ///   - damaged: the numbers of unreadable segments, for each layer.
    /// - Throws: `.nothingRecorded`.
    public init(
        layers: [[SegmentRecord]], damaged: [Int: Set<Int>] = [:]
    ) throws(RecordingError) {
        let maps = layers.enumerated().map { index, records in
            let usable = records.filter {
                !$0.isLeftOut && damaged[index]?.contains($0.number) != true
            }
            return Dictionary(
                usable.map { (Key(run: $0.run, firstFrame: $0.firstFrame), $0) },
                uniquingKeysWith: { _, later in later })
        }
        let paused = Set(
            layers.joined().filter(\.isLeftOut).map { Key(run: $0.run, firstFrame: $0.firstFrame) })
        guard let first = layers.first, let rate = first.first?.frameRate else {
            throw .nothingRecorded
        }
        var parts: [Part] = []
        var stretches: [Stretch] = []
        var seen: Set<Key> = []
        var position: Int64 = 0
        for record in first {
            let key = Key(run: record.run, firstFrame: record.firstFrame)
            let found = maps.compactMap { $0[key] }
            let end = max(record.endDate, stretches.last?.end ?? .min)
            if paused.contains(key) { stretches.append(Stretch(end: end, part: nil)) }
            guard found.count == layers.count, found.allSatisfy({ $0.frameRate == rate }),
                seen.insert(key).inserted
            else { continue }
            let count = found.map(\.frameCount).max() ?? 0
            let goesOn = parts.last.map { last in
                last.layers[0].run == key.run
                    && last.layers[0].firstFrame + Int64(last.frameCount) == key.firstFrame
            }
            parts.append(
                Part(
                    layers: found, firstFrame: position, frameCount: count,
                    isJoin: goesOn != true))
            position += Int64(count)
            stretches.append(Stretch(end: end, part: parts.count - 1))
        }
        guard !parts.isEmpty else { throw .nothingRecorded }
        self.parts = parts
        self.stretches = stretches
        layerCount = layers.count
        frameRate = rate
        frameCount = position
    }

    /// The part that was on air at a time; nil when recording was paused. Where a segment is
    /// missing (a bot had died, a segment is damaged), the next one counts, and after the last one
    /// the last.
    ///
    /// - Parameter date: nanoseconds since 1970.
    public func part(at date: Int64) -> Int? {
        var range = 0..<stretches.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if stretches[middle].end > date {
                range = range.lowerBound..<middle
            } else {
                range = middle + 1..<range.upperBound
            }
        }
        return (range.lowerBound < stretches.count ? stretches[range.lowerBound] : stretches.last)?
            .part
    }

    /// Of every layer's asset.
    public var duration: MediaTime { MediaTime(ticks: frameCount, timescale: Int32(frameRate)) }
}
