import HLS
import MediaKernel

/// The newest state of one playlist on air: what is listed, and the newest files.
///
/// A segment is listed with parts only if all of them have come, in their order.
struct LayerEdge {
    /// Twice as many parts as a playlist lists of segments of two seconds, with three parts each
    /// second; of longer ones the older parts come from the disk. A segment with more parts than
    /// this has none.
    static let partsMaximum = 64
    static let segmentsMaximum = 6

    /// Of the playlist's directory.
    let name: String
    private let partsPerSegment: Int
    private(set) var playlist: LowLatencyPlaylist
    /// The segment whose parts come; nil after a gap, until the next one begins.
    private var open: Int?
    private(set) var parts = EdgeFiles()
    private(set) var segments = EdgeFiles()
    /// Of the text: changes with each part.
    private var version = 0
    private var texts: [EdgeText.Form: EdgeText] = [:]

    init(name: String, _ shape: LiveEdgeShape) {
        self.name = name
        partsPerSegment = max(1, shape.partsPerSegment)
        playlist = LowLatencyPlaylist(partTarget: shape.partTarget)
    }

    /// Whether there is a playlist: players begin with a segment.
    var isPlayable: Bool { !playlist.playlist.segments.isEmpty }

    /// How long a request may wait.
    var waitMaximum: Duration { .seconds(3 * playlist.playlist.targetDuration) }

    subscript(file name: String) -> EdgeFile? { parts[name] ?? segments[name] }

    mutating func published(_ new: LivePart, _ file: EdgeFile?) {
        // Behind a segment that was missed, parts would be listed as those of another one.
        if new.index == 0, let head = new.head, !isPlayable || new.segment == playlist.next {
            playlist.begin(head)
            open = new.segment
        }
        guard let file, open == new.segment, new.index == playlist.openParts.count,
            new.index < Self.partsMaximum, (try? playlist.add(new.part)) != nil
        else {
            loseSegment()
            return change()
        }
        parts.add(file, named: new.part.uri)
        parts.trim(to: Self.partsMaximum)
        playlist.hint = PartName(new.part.uri)?
            .next(endsSegment: new.index + 1 >= partsPerSegment || isShort(new.part))
        change()
    }

    /// - Parameters:
    ///   - text: the plain playlist with the segment.
    ///   - file: the segment's; nil if it is not kept.
    mutating func listed(
        _ segment: Int, in text: MediaPlaylist, _ file: EdgeFile?, at now: Instant
    ) {
        if let open, open != segment { loseSegment() }
        if open == nil { playlist.dropOpenSegment() }
        let hint = playlist.hint
        playlist.complete(text, at: now)
        // The segment was shorter than was foreseen.
        if let part = hint.flatMap({ PartName($0) }), part.segment < playlist.next {
            playlist.hint = part.next(endsSegment: true)
        }
        open = nil
        if let file, let name = text.segments.last?.uri {
            segments.add(file, named: name)
            segments.trim(to: Self.segmentsMaximum)
        }
        change()
    }

    /// A segment was listed, but its playlist could not be opened.
    mutating func missed() {
        loseSegment()
        change()
    }

    /// The bot has died. Its successor makes a segment of the parts so far, or begins it anew.
    mutating func interrupted() {
        playlist.hint = nil
        change()
    }

    /// Drops a file, or else the texts, which can be made again.
    ///
    /// - Returns: false if nothing is left.
    mutating func dropOldest() -> Bool {
        if parts.dropOldest() || segments.dropOldest() { return true }
        guard !texts.isEmpty else { return false }
        texts = [:]
        return true
    }

    func verdict(_ request: ReloadRequest) throws(ReloadRequest.Fault) -> ReloadRequest.Verdict {
        try request.verdict(playlist.progress, partTarget: playlist.partTarget)
    }

    /// Nil if nobody has asked for this form since the last change.
    func text(_ form: EdgeText.Form) -> EdgeText? { texts[form] }

    /// Makes a form. A long playlist takes tens of milliseconds: call it outside of locks.
    ///
    /// - Parameters:
    ///   - tag: begins the entity tag.
    ///   - reports: of the stream's other layers.
    ///   - memory: counts the text.
    func rendered(
        _ form: EdgeText.Form, tag: String, reports: [RenditionReport], at now: Instant,
        in memory: EdgeMemory
    ) -> EdgeText {
        EdgeText(
            playlist.rendered(form.skip, reports: reports, at: now), form,
            tag: "\(tag)-\(version)", targetDuration: playlist.playlist.targetDuration, in: memory)
    }

    mutating func keep(_ text: EdgeText, _ form: EdgeText.Form) { texts[form] = text }

    private mutating func loseSegment() {
        playlist.dropOpenSegment()
        open = nil
    }

    private mutating func change() {
        version += 1
        texts = [:]
    }

    /// Only a segment's last part is shorter than the others.
    private func isShort(_ part: PartialSegment) -> Bool {
        part.duration.rescaled(to: 1_000_000).ticks
            < playlist.partTarget.rescaled(to: 1_000_000).ticks
    }
}

extension MediaPlaylist {
    /// As it was when this segment was its last one; nil if it does not list it.
    func upTo(_ segment: Int) -> MediaPlaylist? {
        guard (mediaSequence..<mediaSequence + segments.count).contains(segment) else { return nil }
        let excess = mediaSequence + segments.count - 1 - segment
        guard excess > 0 else { return self }
        var earlier = self
        earlier.segments.removeLast(excess)
        (earlier.trailingDateRanges, earlier.isEnded) = ([], false)
        return earlier
    }
}
