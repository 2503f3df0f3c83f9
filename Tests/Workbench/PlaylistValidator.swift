public import HLS
public import MediaKernel

/// Checks successive versions of one media playlist like a player.
///
/// RFC 8216 sect. 6.2.1 (permitted changes), 6.2.2 (live playlists) and 4.3.3 (tag rules). Feed it
/// each version in the order of fetching; versions in between may have been missed.
public struct PlaylistValidator: Sendable {
    public enum Violation: Hashable, Sendable {
        case targetDurationExceeded(mediaSequence: Int, duration: MediaTime, targetDuration: Int)
        case targetDurationChanged(from: Int, to: Int)
        case versionChanged(from: Int, to: Int)
        case kindChanged
        case changedAfterEnd
        case mediaSequenceFell(from: Int, to: Int)
        /// An EVENT or VOD playlist lost segments at its start.
        case segmentsRemoved(from: Int, to: Int)
        /// The newest segment of the earlier version is missing although older ones exist.
        case newestSegmentVanished(mediaSequence: Int)
        case segmentChanged(mediaSequence: Int)
        case discontinuitySequenceWrong(expected: Int, found: Int)
        case uriRepeated(String)
        /// After a removal, a live playlist lasts less than three target durations.
        case windowTooShort(milliseconds: Int)
        /// A date does not follow from the previous date and duration.
        case dateJumped(mediaSequence: Int, byMilliseconds: Int)
        /// Date ranges have no meaning without EXT-X-PROGRAM-DATE-TIME. RFC 8216 sect. 4.3.2.7.
        case dateRangesWithoutDates
        /// An id occurs twice.
        case dateRangeRepeated(String)
        case dateRangeChanged(String)
        /// It is missing although it extends into the listed segments, or no range may be removed.
        case dateRangeVanished(String)
        /// Layers that should have been cut at the same frames were not.
        case layersDiffer(mediaSequence: Int)
    }

    private struct Resource: Hashable {
        var uri: String
        var byteRange: Range<UInt64>?
    }

    private var previous: MediaPlaylist?

    /// Dates are written in whole milliseconds, so neighbours may be off by one each.
    private static let dateToleranceNanoseconds: Int64 = 2_000_000

    public init() {}

    /// The violations of this version, in itself and against the previous one.
    public mutating func observe(_ playlist: MediaPlaylist) -> [Violation] {
        var violations = Self.violations(of: playlist)
        if let previous {
            violations += Self.violations(from: previous, to: playlist)
        }
        previous = playlist
        return violations
    }

    /// The violations of a playlist in itself.
    public static func violations(of playlist: MediaPlaylist) -> [Violation] {
        var violations: [Violation] = []
        var resources: Set<Resource> = []
        for (index, segment) in playlist.segments.enumerated() {
            let number = playlist.mediaSequence + index
            if segment.duration.wholeSeconds > playlist.targetDuration {
                violations.append(
                    .targetDurationExceeded(
                        mediaSequence: number, duration: segment.duration,
                        targetDuration: playlist.targetDuration))
            }
            let resource = Resource(uri: segment.uri, byteRange: segment.byteRange)
            if !resources.insert(resource).inserted {
                violations.append(.uriRepeated(segment.uri))
            }
            guard index > 0, !segment.isDiscontinuity else { continue }
            let before = playlist.segments[index - 1]
            if let jump = dateJump(from: before, to: segment) {
                violations.append(
                    .dateJumped(mediaSequence: number, byMilliseconds: Int(jump / 1_000_000)))
            }
        }
        return violations + dateRangeViolations(of: playlist)
    }

    private static func dateRangeViolations(of playlist: MediaPlaylist) -> [Violation] {
        let ranges = playlist.dateRanges
        guard !ranges.isEmpty else { return [] }
        var violations: [Violation] = []
        if playlist.segments.allSatisfy({ $0.programDateTime == nil }) {
            violations.append(.dateRangesWithoutDates)
        }
        var ids: Set<String> = []
        for range in ranges where !ids.insert(range.id).inserted {
            violations.append(.dateRangeRepeated(range.id))
        }
        return violations
    }

    private static func dateRangeViolations(
        from old: MediaPlaylist, to new: MediaPlaylist
    ) -> [Violation] {
        let ranges = Dictionary(new.dateRanges.map { ($0.id, $0) }) { first, _ in first }
        let window = new.kind == .live ? new.segments.first?.programDateTime ?? .max : .min
        return old.dateRanges.compactMap { range in
            guard let now = ranges[range.id] else {
                return range.end > window ? .dateRangeVanished(range.id) : nil
            }
            // Dates are written in whole milliseconds.
            return now.rendered() == range.rendered() ? nil : .dateRangeChanged(range.id)
        }
    }

    /// Layers of one stream: segments that begin at the same time have the same length and the same
    /// discontinuity sequence number (RFC 8216 sect. 6.2.4), and no other segment begins meanwhile.
    /// Versions may be one segment apart; segments in both are compared. Media sequence numbers are
    /// specific to each layer, and are used if there are no dates.
    public static func violations(ofLayers layers: [MediaPlaylist]) -> [Violation] {
        guard let first = layers.first else { return [] }
        var violations: Set<Violation> = []
        let expectedNumbers = first.discontinuitySequences
        for layer in layers.dropFirst() {
            let numbers = layer.discontinuitySequences
            for (place, other) in pairs(first, layer) {
                let number = first.mediaSequence + place
                let duration = first.segments[place].duration.decimalSeconds
                guard let other, layer.segments[other].duration.decimalSeconds == duration else {
                    violations.insert(.layersDiffer(mediaSequence: number))
                    continue
                }
                if numbers[other] != expectedNumbers[place] {
                    violations.insert(
                        .discontinuitySequenceWrong(
                            expected: expectedNumbers[place], found: numbers[other]))
                }
            }
        }
        return Array(violations)
    }

    /// Pairs of equal segments in both; nil if the second has none.
    private static func pairs(
        _ a: MediaPlaylist, _ b: MediaPlaylist
    ) -> [(Int, Int?)] {
        let dates = b.segments.map { milliseconds($0.programDateTime) }
        guard let first = dates.first ?? nil, let last = dates.last ?? nil else {
            return common(a, b).map { ($0 - a.mediaSequence, $0 - b.mediaSequence) }
        }
        let places = Dictionary(
            dates.indices.compactMap { place in dates[place].map { ($0, place) } },
            uniquingKeysWith: { _, later in later })
        return a.segments.indices.compactMap { place in
            guard let date = milliseconds(a.segments[place].programDateTime),
                (first...max(first, last)).contains(date)
            else { return nil }
            return (place, places[date])
        }
    }

    private static func violations(
        from old: MediaPlaylist, to new: MediaPlaylist
    ) -> [Violation] {
        var violations: [Violation] = []
        if old.isEnded, old != new { violations.append(.changedAfterEnd) }
        if old.kind != new.kind { violations.append(.kindChanged) }
        if old.version != new.version {
            violations.append(.versionChanged(from: old.version, to: new.version))
        }
        if old.targetDuration != new.targetDuration {
            violations.append(
                .targetDurationChanged(from: old.targetDuration, to: new.targetDuration))
        }
        let removed = new.mediaSequence - old.mediaSequence
        guard removed >= 0 else {
            return violations + [.mediaSequenceFell(from: old.mediaSequence, to: new.mediaSequence)]
        }
        if removed > 0 {
            violations += removalViolations(from: old, to: new, removed: removed)
        }
        let newest = old.mediaSequence + old.segments.count - 1
        if newest >= new.mediaSequence + new.segments.count {
            violations.append(.newestSegmentVanished(mediaSequence: newest))
        }
        for number in common(old, new)
        where !isSame(
            old.segments[number - old.mediaSequence], new.segments[number - new.mediaSequence])
        {
            violations.append(.segmentChanged(mediaSequence: number))
        }
        return violations + dateRangeViolations(from: old, to: new)
    }

    private static func removalViolations(
        from old: MediaPlaylist, to new: MediaPlaylist, removed: Int
    ) -> [Violation] {
        var violations: [Violation] = []
        if new.kind != .live {
            violations.append(.segmentsRemoved(from: old.mediaSequence, to: new.mediaSequence))
        }
        let seconds = new.segments.reduce(0.0) { $0 + $1.duration.seconds }
        if seconds + 0.001 < Double(new.targetDuration * 3) {
            violations.append(.windowTooShort(milliseconds: Int(seconds * 1000)))
        }
        // The right number is known only if every removed segment was seen.
        if removed <= old.segments.count {
            let gone = old.segments.prefix(removed).reduce(0) { $0 + $1.discontinuities }
            let expected = old.discontinuitySequence + gone
            if expected != new.discontinuitySequence {
                violations.append(
                    .discontinuitySequenceWrong(
                        expected: expected, found: new.discontinuitySequence))
            }
        } else if new.discontinuitySequence < old.discontinuitySequence {
            violations.append(
                .discontinuitySequenceWrong(
                    expected: old.discontinuitySequence, found: new.discontinuitySequence))
        }
        return violations
    }

    /// The numbers in both.
    private static func common(_ a: MediaPlaylist, _ b: MediaPlaylist) -> Range<Int> {
        let start = max(a.mediaSequence, b.mediaSequence)
        let end = min(a.mediaSequence + a.segments.count, b.mediaSequence + b.segments.count)
        return start..<max(start, end)
    }

    private static func isSame(_ a: Segment, _ b: Segment) -> Bool {
        a.uri == b.uri && a.byteRange == b.byteRange
            && a.duration.decimalSeconds == b.duration.decimalSeconds
            && milliseconds(a.programDateTime) == milliseconds(b.programDateTime)
            && a.discontinuities == b.discontinuities
    }

    private static func milliseconds(_ nanoseconds: Int64?) -> Int64? {
        nanoseconds.map { $0 / 1_000_000 }
    }

    private static func dateJump(from before: Segment, to segment: Segment) -> Int64? {
        guard let earlier = before.programDateTime, let later = segment.programDateTime else {
            return nil
        }
        let expected = earlier + before.duration.rescaled(to: 1_000_000_000).ticks
        let jump = later - expected
        return abs(jump) > dateToleranceNanoseconds ? jump : nil
    }
}
