/// Decides in which segments of one playlist each caption of one language is shown, and when.
///
/// A caption is shown when it was said, in each segment that it touches, with the same times. One
/// that comes after the segment in which it begins was closed is shown from the beginning of the
/// next one, for as long as it would have been. So none is lost, but after a bot's death the rest
/// of such a delay is: the next bot knows that the caption was placed, not how late.
///
/// All times are milliseconds since 1970 on the stream's clock.
public struct CaptionPlacer: Sendable {
    /// The most captions of one segment: more than anybody can read. Those that begin last are left
    /// out there.
    public static let perSegmentMaximum = 200

    /// What was said.
    public struct Entry: Hashable, Sendable {
        /// Counted over the stream's life.
        public var number: Int
        public var start: Int64
        public var end: Int64
        public var text: String
        public var speaker: String?

        public init(number: Int, start: Int64, end: Int64, text: String, speaker: String? = nil) {
            self.number = number
            self.start = start
            self.end = end
            self.text = text
            self.speaker = speaker
        }
    }

    /// How far an earlier process of the same stream has come: it has placed the captions up to a
    /// number that begin before a time.
    public struct Progress: Hashable, Sendable {
        public var number: Int
        public var until: Int64

        public init(number: Int, until: Int64) {
            self.number = number
            self.until = until
        }

        /// In the form of a segment's note.
        public var note: String { "captions up to \(number), until \(until)" }

        /// Nil for another text.
        public init?(note: Substring) {
            let words = note.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 6, Array(words[0...2]) == ["captions", "up", "to"],
                words[4] == "until", let number = Int(words[3].dropLast()),
                let until = Int64(words[5])
            else { return nil }
            self.init(number: number, until: until)
        }

        /// That of a segment's file; nil if it has none.
        public init?(segment text: String) {
            let notes = text.split(separator: "\n").compactMap { line in
                line.hasPrefix("NOTE ") ? Progress(note: line.dropFirst(5)) : nil
            }
            guard let first = notes.first else { return nil }
            self = first
        }
    }

    private struct Shown {
        var entry: Entry
        var isPlaced: Bool
    }

    private let earlier: Progress?
    /// Waiting, or not over.
    private var open: [Shown] = []

    /// - Parameter earlier: of an earlier process; nil if there was none.
    public init(after earlier: Progress? = nil) { self.earlier = earlier }

    public mutating func add(_ entry: Entry) {
        let isPlaced = earlier.map { entry.number <= $0.number && entry.start < $0.until } ?? false
        open.append(Shown(entry: entry, isPlaced: isPlaced))
    }

    /// Closes the segment with these times, which come in order.
    ///
    /// - Returns: its captions, in the order in which they begin.
    public mutating func close(_ segment: Range<Int64>) -> [Entry] {
        var shown: [Entry] = []
        for index in open.indices {
            if !open[index].isPlaced {
                guard open[index].entry.start < segment.upperBound else { continue }
                open[index].isPlaced = true
                let delay = segment.lowerBound - open[index].entry.start
                if delay > 0 {
                    open[index].entry.start += delay
                    open[index].entry.end += delay
                }
            }
            let entry = open[index].entry
            if entry.end > segment.lowerBound, entry.start < segment.upperBound {
                shown.append(entry)
            }
        }
        open.removeAll { $0.isPlaced && $0.entry.end <= segment.upperBound }
        shown.sort { ($0.start, $0.number) < ($1.start, $1.number) }
        return Array(shown.prefix(Self.perSegmentMaximum))
    }

    /// Captions that are still to be shown.
    public var openCount: Int { open.count }
}
