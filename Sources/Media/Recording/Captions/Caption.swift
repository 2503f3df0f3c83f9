public import HLS

/// A caption of a stream, as it was accepted.
public struct Caption: Hashable, Sendable, Codable {
    /// The most captions of a stream: two a second for seven hours.
    public static let perStreamMaximum = 50_000
    /// The longest caption, and the most bytes of its texts: those that the API accepts.
    static let millisecondsMaximum: Int64 = 60_000
    static let textBytesMaximum = 2000
    static let speakerBytesMaximum = 512

    /// Counted over the stream's life and all its languages.
    public var number: Int
    /// The code of one of the stream's languages.
    public var language: String
    /// When it was said, in milliseconds since 1970 on the stream's clock.
    public var start: Int64
    public var end: Int64
    public var speaker: String?
    /// The speaker's id.
    public var peer: String?
    public var text: String

    enum CodingKeys: String, CodingKey {
        case number, language, speaker, text
        case start = "start_ms"
        case end = "end_ms"
        case peer = "peer_id"
    }

    public init(
        number: Int, language: String, start: Int64, end: Int64, speaker: String? = nil,
        peer: String? = nil, text: String
    ) {
        self.number = number
        self.language = language
        self.start = start
        self.end = end
        self.speaker = speaker
        self.peer = peer
        self.text = text
    }

    /// Whether its times and everything computed from them are valid, up to the year 2248, and
    /// nothing is larger than what the service writes. A person, or a bot that has fallen to
    /// somebody's bytes, may have edited the log.
    var isUsable: Bool {
        (0...1 << 43).contains(start) && (0...1 << 43).contains(end) && start < end
            && end - start <= Self.millisecondsMaximum
            && (1...Self.perStreamMaximum).contains(number)
            && text.utf8.count <= Self.textBytesMaximum
            && [speaker, peer].allSatisfy { ($0?.utf8.count ?? 0) <= Self.speakerBytesMaximum }
    }

    public var entry: CaptionPlacer.Entry {
        CaptionPlacer.Entry(number: number, start: start, end: end, text: text, speaker: speaker)
    }
}
