import MediaKernel

/// Grows a stream's media playlist, segment by segment, by the rules of RFC 8216 sect. 6.2.
///
/// Invariants: the version, the kind and the target duration never change; a segment keeps its
/// number, its URI and its tags while it is listed; MEDIA-SEQUENCE and DISCONTINUITY-SEQUENCE count
/// what leaves a live window; after the end nothing changes.
public struct MediaPlaylistBuilder: Sendable {
    public private(set) var playlist: MediaPlaylist
    public let mode: PlaylistMode

    /// The segments' lines, in step with `playlist.segments`: one text for an EVENT playlist, which
    /// only grows, so that its ten-thousandth version costs no more than its first.
    private var eventLines = ""
    private var nextDiscontinuities = 0
    /// Date ranges that wait for the segment of their start, the earliest first.
    private var announced: [DateRange] = []
    private var knownRanges: Set<String> = []

    public init(mode: PlaylistMode, targetDuration: Int, firstMediaSequence: Int = 0) {
        precondition(targetDuration > 0, "a target duration is at least a second")
        precondition(firstMediaSequence >= 0, "segments are not numbered below 0")
        self.mode = mode
        let kind: MediaPlaylist.Kind =
            switch mode {
            case .live: .live
            case .event: .event
            }
        playlist = MediaPlaylist(
            kind: kind, targetDuration: targetDuration, mediaSequence: firstMediaSequence)
    }

    /// Continues a playlist of an earlier process. The next segment begins with a discontinuity:
    /// its timestamps start anew.
    ///
    /// The caller makes sure that the new segments fit the old target duration.
    ///
    /// - Parameter window: segments of a live playlist; an EVENT playlist has none.
    public init(resuming playlist: MediaPlaylist, window: Int) throws(PlaylistError) {
        guard !playlist.isEnded, playlist.kind != .vod else { throw .ended }
        mode = playlist.kind == .event ? .event : .live(window: window)
        self.playlist = playlist
        // Later segments will have decimal durations; a rewritten line keeps its duration.
        self.playlist.hasDecimalDurations = true
        nextDiscontinuities = playlist.segments.isEmpty ? 0 : 1
        knownRanges = Set(playlist.dateRanges.map(\.id))
        if playlist.kind == .event {
            eventLines = MediaPlaylist.lines(of: playlist.segments, decimalDurations: true)
        }
    }

    /// The next segment's number.
    public var nextMediaSequence: Int { playlist.mediaSequence + playlist.segments.count }

    /// Marks the next segment: something before it was lost, or its timestamps start anew.
    public mutating func markDiscontinuity() {
        if !playlist.segments.isEmpty { nextDiscontinuities = max(1, nextDiscontinuities) }
    }

    /// The next segment continues the last one, although its process did not.
    public mutating func markContinuous() { nextDiscontinuities = 0 }

    /// Whether the next segment begins with a discontinuity.
    public var isNextDiscontinuity: Bool { nextDiscontinuities > 0 }

    /// The next segment's discontinuity sequence number.
    public var nextDiscontinuitySequence: Int {
        (playlist.discontinuitySequences.last ?? playlist.discontinuitySequence)
            + nextDiscontinuities
    }

    /// Raises the next segment's discontinuity sequence number to this one: other layers have had
    /// segments between discontinuities where this layer had none.
    public mutating func raiseDiscontinuitySequence(to number: Int) {
        let missing = max(0, number - nextDiscontinuitySequence)
        if playlist.segments.isEmpty {
            playlist.discontinuitySequence += missing
        } else {
            nextDiscontinuities += missing
        }
    }

    /// Lists a date range once, with the first segment that ends after its start. A live playlist
    /// keeps it until its end has left the window; the others keep it for ever.
    ///
    /// - Throws: `unusableDateRange`, `tooManyEntries`.
    public mutating func announce(_ range: DateRange) throws(PlaylistError) {
        guard range.isUsable else { throw .unusableDateRange(range.id) }
        guard !knownRanges.contains(range.id) else { return }
        guard knownRanges.count < MediaPlaylist.dateRangesMaximum else {
            throw .tooManyEntries(maximum: MediaPlaylist.dateRangesMaximum)
        }
        knownRanges.insert(range.id)
        let place = announced.firstIndex { $0.start > range.start } ?? announced.endIndex
        announced.insert(range, at: place)
    }

    /// Lists a segment whose file can be fetched from now on.
    ///
    /// - Returns: the segments that left the live window. Their files must stay for their own
    ///   duration plus that of the longest playlist that named them (RFC 8216 sect. 6.2.2).
    @discardableResult
    public mutating func add(_ segment: Segment) throws(PlaylistError) -> [Segment] {
        guard !playlist.isEnded else { throw .ended }
        guard segment.duration.wholeSeconds <= playlist.targetDuration else {
            throw .segmentTooLong(
                duration: segment.duration, targetDuration: playlist.targetDuration)
        }
        let breaksLine = segment.uri.utf8.contains { $0 == 10 || $0 == 13 }
        let section = segment.initialization?.uri ?? "-"
        guard !section.isEmpty, !section.utf8.contains(where: { [10, 13, 34].contains($0) }) else {
            throw .unusableURI(section)
        }
        guard !segment.uri.isEmpty, !segment.uri.hasPrefix("#"), !breaksLine else {
            throw .unusableURI(segment.uri)
        }
        var segment = segment
        segment.discontinuities = max(segment.discontinuities, nextDiscontinuities)
        nextDiscontinuities = 0
        segment.dateRanges += takeAnnounced(until: segment)
        let earlier = playlist.segments.last?.initialization
        playlist.segments.append(segment)
        switch mode {
        case .event:
            eventLines += segment.rendered(decimalDuration: true, after: earlier)
            return []
        case .live(let window):
            let dropped = trim(to: window)
            keepRanges(of: dropped)
            return dropped
        }
    }

    /// No segment will follow. Announced date ranges that wait for a segment are listed after the
    /// last one.
    public mutating func end() {
        guard !playlist.isEnded else { return }
        playlist.isEnded = true
        if !playlist.segments.isEmpty { playlist.trailingDateRanges += announced }
        announced = []
    }

    private mutating func takeAnnounced(until segment: Segment) -> [DateRange] {
        guard let date = segment.programDateTime else { return [] }
        let length = segment.duration.rescaled(to: 1_000_000_000).ticks
        // Dates come from logs and playlists that a person may have edited.
        let (end, isBeyond) = date.addingReportingOverflow(length)
        let due = announced.prefix { isBeyond || $0.start < end }
        announced.removeFirst(due.count)
        return Array(due)
    }

    /// Ranges that continue within the window move to its first segment; past ones are removed.
    private mutating func keepRanges(of dropped: [Segment]) {
        guard let first = playlist.segments.first, let date = first.programDateTime else { return }
        playlist.segments[0].dateRanges = dropped.flatMap(\.dateRanges) + first.dateRanges
        for index in playlist.segments.indices where !playlist.segments[index].dateRanges.isEmpty {
            playlist.segments[index].dateRanges.removeAll { $0.end <= date }
        }
    }

    /// The same text as the playlist's own `rendered()`.
    public func rendered() -> String {
        guard playlist.kind == .event else { return playlist.rendered() }
        return playlist.header + eventLines + playlist.footer
    }

    /// A server must not remove a segment if the remaining ones last less than three target
    /// durations. RFC 8216 sect. 6.2.2.
    private mutating func trim(to window: Int) -> [Segment] {
        var left = playlist.segments.reduce(Int64(0)) { $0 + Self.microseconds($1) }
        var dropCount = 0
        while playlist.segments.count - dropCount > max(1, window) {
            left -= Self.microseconds(playlist.segments[dropCount])
            // Divided, since an edited playlist may have any target duration.
            guard left / 3_000_000 >= Int64(playlist.targetDuration) else { break }
            dropCount += 1
        }
        let dropped = Array(playlist.segments.prefix(dropCount))
        playlist.segments.removeFirst(dropCount)
        playlist.mediaSequence += dropCount
        playlist.discontinuitySequence += dropped.reduce(0) { $0 + $1.discontinuities }
        return dropped
    }

    private static func microseconds(_ segment: Segment) -> Int64 {
        segment.duration.rescaled(to: 1_000_000).ticks
    }
}
