/// The list of a stream's layers. RFC 8216 sect. 4.3.4.
///
/// Nothing in it goes beyond version 1 of the protocol (RFC 8216 sect. 7).
public struct MasterPlaylist: Hashable, Sendable {
    /// One EXT-X-STREAM-INF with its URI. RFC 8216 sect. 4.3.4.2.
    public struct Variant: Hashable, Sendable {
        /// Relative to the master playlist.
        public var uri: String
        /// Bits per second of the peak segment.
        public var bandwidth: Int
        /// Bits per second over all segments.
        public var averageBandwidth: Int?
        /// Comma-separated, RFC 6381.
        public var codecs: String
        /// Both nil for audio alone.
        public var width: Int?
        public var height: Int?
        /// Frames per second, in thousandths.
        public var frameRate: Double?

        public init(
            uri: String, bandwidth: Int, averageBandwidth: Int? = nil, codecs: String,
            width: Int? = nil, height: Int? = nil, frameRate: Double? = nil
        ) {
            self.uri = uri
            self.bandwidth = bandwidth
            self.averageBandwidth = averageBandwidth
            self.codecs = codecs
            self.width = width
            self.height = height
            self.frameRate = frameRate
        }
    }

    /// Best first: players without a better choice start with the first.
    public var variants: [Variant]
    /// Each segment can be decoded without any other. RFC 8216 sect. 4.3.5.1.
    public var independentSegments: Bool
    /// Captions, which every variant has.
    public var subtitles: [SubtitleRendition]

    public init(
        variants: [Variant], independentSegments: Bool = true,
        subtitles: [SubtitleRendition] = []
    ) {
        self.variants = variants
        self.independentSegments = independentSegments
        self.subtitles = subtitles
    }

    public var version: Int { 1 }

    public func rendered() -> String {
        var text = "#EXTM3U\n#EXT-X-VERSION:\(version)\n"
        if independentSegments { text += "#EXT-X-INDEPENDENT-SEGMENTS\n" }
        for rendition in subtitles { text += rendition.rendered() }
        for variant in variants {
            text += "#EXT-X-STREAM-INF:BANDWIDTH=\(variant.bandwidth)"
            if let average = variant.averageBandwidth { text += ",AVERAGE-BANDWIDTH=\(average)" }
            text += ",CODECS=\"\(variant.codecs)\""
            if let width = variant.width, let height = variant.height {
                text += ",RESOLUTION=\(width)x\(height)"
            }
            if let rate = variant.frameRate { text += ",FRAME-RATE=\(frameRateText(rate))" }
            if !subtitles.isEmpty { text += ",SUBTITLES=\"\(SubtitleRendition.group)\"" }
            text += "\n\(variant.uri)\n"
        }
        return text
    }
}

extension MasterPlaylist {
    /// Variants that are read from one playlist.
    public static let variantsMaximum = 256

    /// Reads the variants and the captions; other tags (further renditions, I-frame playlists) are
    /// ignored.
    public init(parsing text: String) throws(PlaylistError) {
        var variants: [Variant] = []
        var announced: (attributes: AttributeList, line: Int)?
        var independentSegments = false
        var subtitles: [SubtitleRendition] = []
        for line in try PlaylistLines(text).lines {
            switch line.content {
            case .tag("EXT-X-STREAM-INF", let value):
                guard announced == nil else { throw .unpairedEntry(line: line.number) }
                announced = (try AttributeList(value ?? "", line: line.number), line.number)
            case .tag("EXT-X-INDEPENDENT-SEGMENTS", _): independentSegments = true
            case .tag(SubtitleRendition.tag, let value):
                guard let found = try SubtitleRendition(parsing: value, line: line.number) else {
                    continue
                }
                guard subtitles.count < SubtitleRendition.maximum else {
                    throw .tooManyEntries(maximum: SubtitleRendition.maximum)
                }
                subtitles.append(found)
            case .tag(let name, _)
            where name == "EXTINF" || name == "EXT-X-TARGETDURATION"
                || name == "EXT-X-MEDIA-SEQUENCE":
                throw .misplacedTag(name, line: line.number)
            case .tag: break
            case .uri(let uri):
                guard let (attributes, number) = announced else {
                    throw .unpairedEntry(line: line.number)
                }
                guard variants.count < Self.variantsMaximum else {
                    throw .tooManyEntries(maximum: Self.variantsMaximum)
                }
                variants.append(try Variant(uri: uri, attributes: attributes, line: number))
                announced = nil
            }
        }
        if let announced { throw .unpairedEntry(line: announced.line) }
        guard !variants.isEmpty else { throw .missingTag("EXT-X-STREAM-INF") }
        self.init(
            variants: variants, independentSegments: independentSegments, subtitles: subtitles)
    }
}

extension MasterPlaylist.Variant {
    fileprivate init(uri: String, attributes: AttributeList, line: Int) throws(PlaylistError) {
        guard let bandwidth = try attributes.decimalInteger("BANDWIDTH") else {
            throw .missingAttribute("BANDWIDTH", line: line)
        }
        guard let codecs = try attributes.quotedString("CODECS") else {
            throw .missingAttribute("CODECS", line: line)
        }
        // Optional, RFC 8216 sect. 4.3.4.2; an audio-only variant has none.
        let resolution = try attributes.resolution("RESOLUTION")
        self.init(
            uri: uri, bandwidth: bandwidth,
            averageBandwidth: try attributes.decimalInteger("AVERAGE-BANDWIDTH"), codecs: codecs,
            width: resolution?.width, height: resolution?.height,
            frameRate: try attributes.decimal("FRAME-RATE"))
    }
}
