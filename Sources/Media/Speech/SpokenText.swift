import MediaKernel

/// A line of a program that recognizes speech: `{"speaker": 3, "text": "hello", "start_ms": …}`.
public struct SpokenText: Hashable, Sendable, Decodable {
    /// The number of a frame; nil if unknown.
    public var speaker: UInt32?
    public var text: String
    /// Milliseconds since 1970, as in frames; nil for now.
    public var start: Int64?
    public var end: Int64?

    public init(speaker: UInt32? = nil, text: String, start: Int64? = nil, end: Int64? = nil) {
        self.speaker = speaker
        self.text = text
        self.start = start
        self.end = end
    }

    enum CodingKeys: String, CodingKey {
        case speaker, text
        case start = "start_ms"
        case end = "end_ms"
    }

    /// Nil for a line that is none; further fields are ignored.
    public init?(line: String) {
        guard let text = try? JSONDocument.decode(SpokenText.self, from: line.utf8) else {
            return nil
        }
        self = text
    }
}
