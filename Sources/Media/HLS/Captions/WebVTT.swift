import MediaKernel

/// Text of a WebVTT file. W3C WebVTT, sect. 4; RFC 8216 sect. 3.5.
public enum WebVTT {
    /// One text and when it is shown.
    public struct Cue: Hashable, Sendable {
        /// In milliseconds on the file's own clock, not below 0.
        public var start: Int64
        public var end: Int64
        /// Plain text; escaped when it is written.
        public var text: String
        /// Who says it; nil if unknown.
        public var speaker: String?
        /// By which players know it in the next segment; nil for none.
        public var number: Int?

        public init(
            start: Int64, end: Int64, text: String, speaker: String? = nil, number: Int? = nil
        ) {
            self.number = number
            self.start = start
            self.end = end
            self.text = text
            self.speaker = speaker
        }
    }

    /// Which timestamp of the pictures has which time in a segment's cues.
    public struct TimestampMap: Hashable, Sendable {
        /// Ticks of 90 kHz; 33 bits.
        public var mpeg: Int64
        /// Milliseconds.
        public var local: Int64

        /// - Parameters:
        ///   - local: in milliseconds.
        ///   - origin: the timestamp of time zero, in ticks of 90 kHz.
        public init(local: Int64, origin: Int64) {
            self.local = local
            mpeg = (origin &+ local &* 90) & (1 << 33 - 1)
        }
    }

    /// A whole file.
    ///
    /// - Parameters:
    ///   - map: of a segment; nil for a file by itself.
    ///   - note: a comment before the cues, without blank lines and `-->`.
    public static func rendered(
        _ cues: [Cue], map: TimestampMap? = nil, note: String? = nil
    ) -> String {
        var text = "WEBVTT\n"
        if let map { text += "X-TIMESTAMP-MAP=MPEGTS:\(map.mpeg),LOCAL:\(time(map.local))\n" }
        if let note { text += "\nNOTE \(note)\n" }
        for cue in cues {
            text += "\n" + (cue.number.map { "\($0)\n" } ?? "")
            text += "\(time(cue.start)) --> \(time(cue.end))\n\(payload(of: cue))\n"
        }
        return text
    }

    /// Milliseconds as hours, minutes and seconds.
    ///
    /// - Parameter mark: before the milliseconds; SubRip has a comma.
    public static func time(_ milliseconds: Int64, mark: Character = ".") -> String {
        let value = max(0, milliseconds)
        let seconds = value / 1000
        return paddedDecimal(seconds / 3600, digits: 2) + ":"
            + paddedDecimal(seconds / 60 % 60, digits: 2) + ":"
            + paddedDecimal(seconds % 60, digits: 2) + String(mark)
            + paddedDecimal(value % 1000, digits: 3)
    }

    private static func payload(of cue: Cue) -> String {
        let text = escaped(lines(of: cue.text).joined(separator: "\n"))
        guard let speaker = cue.speaker.map({ lines(of: $0).joined(separator: " ") }),
            !speaker.isEmpty
        else { return text }
        return "<v \(escaped(speaker))>\(text)</v>"
    }

    /// A text's lines, without those that are empty, which would end the cue, and without control
    /// characters.
    public static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        func isBreak(_ scalar: Unicode.Scalar) -> Bool {
            ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
        }
        for scalar in text.unicodeScalars {
            if isBreak(scalar) {
                lines.append(trimmed(line))
                line = String.UnicodeScalarView()
            } else {
                let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                line.append(isControl ? " " : scalar)
            }
        }
        lines.append(trimmed(line))
        return lines.filter { !$0.isEmpty }
    }

    private static func trimmed(_ line: String.UnicodeScalarView) -> String {
        var line = line[...]
        while line.first == " " { line.removeFirst() }
        while line.last == " " { line.removeLast() }
        return String(line)
    }

    /// Without `>` no `-->` is left.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
