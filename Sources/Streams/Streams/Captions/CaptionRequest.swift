/// Text that somebody said, or its translation.
public struct CaptionRequest: Hashable, Sendable {
    public var text: String
    /// In milliseconds since 1970, on the stream's clock.
    public var start: Int64
    public var end: Int64
    /// Who said it; nil if unknown.
    public var speaker: String?
    /// The speaker's id in the room; nil if unknown.
    public var peer: String?

    /// Unchecked.
    public init(
        text: String, start: Int64, end: Int64, speaker: String? = nil, peer: String? = nil
    ) {
        self.text = text
        self.start = start
        self.end = end
        self.speaker = speaker
        self.peer = peer
    }

    /// How long a text is shown that comes without an end: long enough to be read.
    ///
    /// - Returns: milliseconds.
    public static func readingTime(of text: String) -> Int64 {
        min(7000, 1000 + 60 * Int64(text.unicodeScalars.count))
    }
}
