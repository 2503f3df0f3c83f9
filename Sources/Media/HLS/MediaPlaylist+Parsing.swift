import MediaKernel

extension MediaPlaylist {
    /// Segments that are read from one playlist: four days of one-second segments.
    public static let segmentsMaximum = 4 * 86_400
    /// Date ranges of one playlist, far fewer than would slow players down.
    public static let dateRangesMaximum = 5000

    /// Reads a playlist of the kind that Roomcast writes: files or byte ranges, without encryption.
    /// Unknown tags are ignored (RFC 8216 sect. 6.3.1).
    public init(parsing text: String) throws(PlaylistError) {
        var reader = Reader()
        for line in try PlaylistLines(text).lines {
            switch line.content {
            case .tag(let name, let value): try reader.read(name, value, line.number)
            case .uri(let uri): try reader.readURI(uri, line.number)
            }
        }
        self = try reader.finished()
    }

    /// The state of reading.
    private struct Reader {
        private var playlist = MediaPlaylist(kind: .live, targetDuration: 0)
        private var seen: Set<String> = []
        private var declaredVersion = 1
        private var duration: MediaTime?
        private var programDateTime: Int64?
        private var discontinuities = 0
        private var initialization: InitializationSection?
        private var byteRange: (count: UInt64, start: UInt64?)?
        private var dateRanges: [DateRange] = []
        private var dateRangeCount = 0
        private var lastLine = 1

        init() { playlist.hasDecimalDurations = false }

        mutating func read(_ name: String, _ value: String?, _ line: Int) throws(PlaylistError) {
            lastLine = line
            switch name {
            case "EXTINF": try readDuration(value, line)
            case "EXT-X-DISCONTINUITY": discontinuities += 1
            case "EXT-X-PROGRAM-DATE-TIME":
                guard let date = value.flatMap({ DateText.parsed($0) }) else {
                    throw .malformedTag(name, line: line)
                }
                programDateTime = date
            case DateRange.tag: try readDateRange(value, line)
            case "EXT-X-VERSION":
                declaredVersion = try number(name, value, line)
                guard declaredVersion > 0 else { throw .malformedTag(name, line: line) }
            case "EXT-X-TARGETDURATION":
                playlist.targetDuration = try number(name, value, line)
            case "EXT-X-MEDIA-SEQUENCE", "EXT-X-DISCONTINUITY-SEQUENCE":
                try readSequence(name, value, line)
            case "EXT-X-PLAYLIST-TYPE": try readKind(name, value, line)
            case "EXT-X-ENDLIST": playlist.isEnded = true
            case Segment.byteRangeTag: try readByteRange(value, line)
            case InitializationSection.tag:
                initialization = try InitializationSection(parsing: value, line: line)
            case "EXT-X-KEY", "EXT-X-I-FRAMES-ONLY", "EXT-X-GAP", "EXT-X-PART",
                "EXT-X-SKIP":
                throw .unsupportedTag(name, line: line)
            case "EXT-X-STREAM-INF", "EXT-X-MEDIA", "EXT-X-I-FRAME-STREAM-INF",
                "EXT-X-SESSION-DATA", "EXT-X-SESSION-KEY":
                throw .misplacedTag(name, line: line)
            default: break
            }
        }

        mutating func readURI(_ uri: String, _ line: Int) throws(PlaylistError) {
            lastLine = line
            guard let duration else { throw .unpairedEntry(line: line) }
            guard playlist.segments.count < MediaPlaylist.segmentsMaximum else {
                throw .tooManyEntries(maximum: MediaPlaylist.segmentsMaximum)
            }
            playlist.segments.append(
                Segment(
                    uri: uri, duration: duration, programDateTime: programDateTime,
                    discontinuities: discontinuities, dateRanges: dateRanges,
                    byteRange: try range(of: uri, line), initialization: initialization))
            self.duration = nil
            byteRange = nil
            programDateTime = nil
            discontinuities = 0
            dateRanges = []
        }

        /// `<count>[@<start>]`. RFC 8216 sect. 4.3.2.2.
        private mutating func readByteRange(
            _ value: String?, _ line: Int
        ) throws(PlaylistError) {
            let parts = (value ?? "").split(separator: "@", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { decimalInteger($0) }.map { UInt64($0) }
            guard byteRange == nil, (1...2).contains(parts.count), numbers.count == parts.count
            else { throw .malformedTag(Segment.byteRangeTag, line: line) }
            byteRange = (numbers[0], numbers.count == 2 ? numbers[1] : nil)
        }

        /// A range without a start follows the previous one, which must be of the same resource.
        private func range(
            of uri: String, _ line: Int
        ) throws(PlaylistError) -> Range<UInt64>? {
            guard let byteRange else { return nil }
            let before = playlist.segments.last.flatMap { $0.uri == uri ? $0.byteRange : nil }
            guard let start = byteRange.start ?? before?.upperBound else {
                throw .malformedTag(Segment.byteRangeTag, line: line)
            }
            let (end, isBeyond) = start.addingReportingOverflow(byteRange.count)
            guard !isBeyond else { throw .malformedTag(Segment.byteRangeTag, line: line) }
            return start..<end
        }

        private mutating func readDateRange(
            _ value: String?, _ line: Int
        ) throws(PlaylistError) {
            dateRangeCount += 1
            guard dateRangeCount <= MediaPlaylist.dateRangesMaximum else {
                throw .tooManyEntries(maximum: MediaPlaylist.dateRangesMaximum)
            }
            dateRanges.append(try DateRange(parsing: value, line: line))
        }

        func finished() throws(PlaylistError) -> MediaPlaylist {
            var playlist = playlist
            playlist.trailingDateRanges = dateRanges
            guard duration == nil else { throw .unpairedEntry(line: lastLine) }
            guard seen.contains("EXT-X-TARGETDURATION") else {
                throw .missingTag("EXT-X-TARGETDURATION")
            }
            guard declaredVersion >= playlist.version else {
                throw .versionTooLow(declared: declaredVersion, needed: playlist.version)
            }
            for segment in playlist.segments
            where segment.duration.wholeSeconds > max(1, playlist.targetDuration) {
                throw .segmentTooLong(
                    duration: segment.duration, targetDuration: playlist.targetDuration)
            }
            return playlist
        }

        /// `EXTINF:<duration>,[<title>]`. Version 1 and 2 have whole seconds only.
        private mutating func readDuration(_ value: String?, _ line: Int) throws(PlaylistError) {
            guard duration == nil else { throw .unpairedEntry(line: line) }
            guard let seconds = value?.split(separator: ",", omittingEmptySubsequences: false)[0],
                let time = MediaTime(decimalSeconds: seconds)
            else { throw .malformedTag("EXTINF", line: line) }
            if seconds.utf8.contains(UInt8(ascii: ".")) { playlist.hasDecimalDurations = true }
            duration = time
        }

        /// Both stand before the first segment. RFC 8216 sect. 4.3.3.2 and 4.3.3.3.
        private mutating func readSequence(
            _ name: String, _ value: String?, _ line: Int
        ) throws(PlaylistError) {
            guard playlist.segments.isEmpty, discontinuities == 0 else {
                throw .misplacedTag(name, line: line)
            }
            let sequence = try number(name, value, line)
            if name == "EXT-X-MEDIA-SEQUENCE" {
                playlist.mediaSequence = sequence
            } else {
                playlist.discontinuitySequence = sequence
            }
        }

        private mutating func readKind(
            _ name: String, _ value: String?, _ line: Int
        ) throws(PlaylistError) {
            guard seen.insert(name).inserted else { throw .repeatedTag(name, line: line) }
            switch value {
            case "EVENT": playlist.kind = .event
            case "VOD": playlist.kind = .vod
            default: throw .malformedTag(name, line: line)
            }
        }

        private mutating func number(
            _ name: String, _ value: String?, _ line: Int
        ) throws(PlaylistError) -> Int {
            guard seen.insert(name).inserted else { throw .repeatedTag(name, line: line) }
            guard let number = value.flatMap({ decimalInteger($0) }) else {
                throw .malformedTag(name, line: line)
            }
            return number
        }
    }
}
