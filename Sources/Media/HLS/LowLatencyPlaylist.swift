public import MediaKernel

/// A playlist on air with parts of its newest segments. draft-pantos-hls-rfc8216bis.
///
/// ```
/// #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.000,CAN-SKIP-UNTIL=12.000,…
/// #EXT-X-PART-INF:PART-TARGET=0.333333
/// #EXT-X-SKIP:SKIPPED-SEGMENTS=40       of a delta update, in place of the oldest segments
/// #EXT-X-PART:DURATION=0.333333,URI="…",INDEPENDENT=YES
/// #EXT-X-PRELOAD-HINT:TYPE=PART,URI="…" the next part, which can be asked for already
/// #EXT-X-RENDITION-REPORT:URI="…",…     how far the other layers have got
/// ```
public struct LowLatencyPlaylist: Sendable {
    /// Complete segments; none until the first `complete`.
    public private(set) var playlist: MediaPlaylist
    /// The longest part; never changes.
    public let partTarget: MediaTime
    /// Of complete segments, by their media sequence numbers.
    private var parts: [Int: [PartialSegment]] = [:]
    /// Of the segment in the making.
    public private(set) var openParts: [PartialSegment] = []
    /// The tags before the parts of the segment in the making: its date, its initialization section
    /// and whether it continues the last one.
    private var openHead: Segment?
    /// The next part's address; nil while it is not known, and once the stream has ended.
    public var hint: String?
    private var ranges = DateRangeHistory()

    /// Parts are listed of segments that end less than this many target durations before the end.
    /// Sect. 6.2.2.
    static let partsSince = 3
    /// Sect. 4.4.3.8: at least twice the part target, and three times is advised.
    static let holdBackParts: Int64 = 3
    /// Sect. 4.4.3.8: at least six.
    static let skipBoundary = 6
    /// Between a segment and its parts, in microseconds: less than a frame of any rate.
    static let lengthTolerance: Int64 = 10_000
    /// That of delta updates without old date ranges; a playlist's version never changes.
    static let version = 10

    public init(partTarget: MediaTime) {
        precondition(partTarget.ticks > 0, "a part lasts longer than nothing")
        self.partTarget = partTarget
        playlist = MediaPlaylist(kind: .live, targetDuration: 1)
    }

    /// The number of the segment in the making.
    public var next: Int { playlist.mediaSequence + playlist.segments.count }

    public var progress: ReloadRequest.Progress {
        ReloadRequest.Progress(
            next: next, parts: openParts.count, lastParts: parts[next - 1]?.count,
            isEnded: playlist.isEnded)
    }

    /// The newest part: what other layers report of this one. Nil while nothing is listed.
    public func report(uri: String) -> RenditionReport? {
        if !openParts.isEmpty {
            return RenditionReport(uri: uri, lastSegment: next, lastPart: openParts.count - 1)
        }
        guard !playlist.segments.isEmpty else { return nil }
        return RenditionReport(
            uri: uri, lastSegment: next - 1, lastPart: parts[next - 1].map { $0.count - 1 })
    }

    /// Begins the segment whose parts come next, and drops those of one that was left incomplete.
    ///
    /// - Parameter segment: its date, section and discontinuities count, not its length.
    public mutating func begin(_ segment: Segment) {
        (openHead, openParts) = (segment, [])
    }

    /// Lists a part of the segment in the making.
    ///
    /// - Throws: `segmentTooLong` for one that is longer than the part target, `unusableURI`.
    public mutating func add(_ part: PartialSegment) throws(PlaylistError) {
        guard Self.microseconds(part.duration) <= Self.microseconds(partTarget) else {
            throw .segmentTooLong(
                duration: part.duration, targetDuration: partTarget.wholeSeconds)
        }
        guard !part.uri.isEmpty, !part.uri.utf8.contains(where: { [10, 13, 34].contains($0) })
        else { throw .unusableURI(part.uri) }
        openParts.append(part)
    }

    /// The segment in the making is complete, or the playlist has ended. Parts that do not add up to
    /// the segment are dropped: it must have the same media (sect. 3.2).
    ///
    /// - Parameters:
    ///   - playlist: the newest, with the segment as its last one.
    ///   - now: when it was listed.
    public mutating func complete(_ playlist: MediaPlaylist, at now: Instant) {
        let last = playlist.mediaSequence + playlist.segments.count - 1
        let length = openParts.reduce(Int64(0)) { $0 + Self.microseconds($1.duration) }
        let whole = playlist.segments.last.map { Self.microseconds($0.duration) } ?? 0
        if !openParts.isEmpty, abs(length - whole) < Self.lengthTolerance {
            parts[last] = openParts
        }
        (openParts, openHead) = ([], nil)
        self.playlist = playlist
        let first = firstWithParts
        parts = parts.filter { $0.key >= first }
        if playlist.isEnded { hint = nil }
        ranges.note(playlist.dateRanges, at: now, keeping: boundary)
    }

    /// No more parts come of the segment in the making, and those so far are not all.
    public mutating func dropOpenSegment() {
        (openParts, openHead, hint) = ([], nil, nil)
    }

    private var boundary: Duration { .seconds(Self.skipBoundary * playlist.targetDuration) }

    /// The number of the first segment whose parts are listed.
    private var firstWithParts: Int {
        let length = Int64(Self.partsSince * playlist.targetDuration) * 1_000_000
        return next - count(endingWithin: length - 1)
    }

    /// How many segments a delta update leaves out: those that ended longer ago than the boundary.
    private var skippable: Int {
        let boundary = Int64(Self.skipBoundary * playlist.targetDuration) * 1_000_000
        return playlist.segments.count - count(endingWithin: boundary)
    }

    /// How many segments end at most this long, in microseconds, before the last one's end.
    private func count(endingWithin limit: Int64) -> Int {
        var behind: Int64 = 0
        var count = 0
        for segment in playlist.segments.reversed() {
            guard behind <= limit else { break }
            behind += Self.microseconds(segment.duration)
            count += 1
        }
        return count
    }

    /// - Parameters:
    ///   - skip: what a delta update leaves out; nil for the whole playlist.
    ///   - reports: of the stream's other layers.
    ///   - now: the time of the answer, for date ranges.
    public func rendered(
        _ skip: ReloadRequest.Skip? = nil, reports: [RenditionReport] = [], at now: Instant
    ) -> String {
        let skipped = skip == nil || playlist.isEnded ? 0 : skippable
        // A delta update of nothing is the whole playlist.
        let leavesRangesOut = skip == .segmentsAndDateRanges && skipped > 0
        var text = header
        var isListed: (DateRange) -> Bool = { _ in true }
        if skipped > 0 {
            text += "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skipped)"
            if leavesRangesOut {
                let recent = ranges.recent(at: now, within: boundary)
                isListed = { recent.added.contains($0.id) }
                text +=
                    ",RECENTLY-REMOVED-DATERANGES=\"\(recent.removed.joined(separator: "\t"))\""
            }
            text += "\n"
            // Only what is older than the boundary may be left out.
            for range in playlist.segments[..<skipped].flatMap(\.dateRanges)
            where isListed(range) {
                text += range.rendered()
            }
        }
        var section: InitializationSection?
        for (index, segment) in playlist.segments.enumerated().dropFirst(skipped) {
            var segment = segment
            if leavesRangesOut { segment.dateRanges.removeAll { !isListed($0) } }
            text += segment.rendered(
                decimalDuration: true, after: section,
                parts: parts[playlist.mediaSequence + index] ?? [])
            section = segment.initialization
        }
        if !playlist.isEnded {
            if let openHead, !openParts.isEmpty { text += openHead.head(after: section) }
            for part in openParts { text += part.rendered() }
            if let hint { text += "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\(hint)\"\n" }
            for report in reports { text += report.rendered() }
        }
        return text + playlist.footer
    }

    private var header: String {
        let hold = MediaTime(
            ticks: partTarget.ticks * Self.holdBackParts, timescale: partTarget.timescale)
        let until = MediaTime(
            ticks: Int64(Self.skipBoundary * playlist.targetDuration), timescale: 1)
        return playlist.header(
            version: Self.version,
            "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=\(hold.decimalSeconds),"
                + "CAN-SKIP-UNTIL=\(until.decimalSeconds),CAN-SKIP-DATERANGES=YES\n"
                + "#EXT-X-PART-INF:PART-TARGET=\(partTarget.decimalSeconds)\n")
    }

    private static func microseconds(_ time: MediaTime) -> Int64 {
        time.rescaled(to: 1_000_000).ticks
    }
}
