import HLS

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All that was said in a recording, in one language, as a file for people or programs.
public struct Transcript: Sendable {
    public enum Format: String, Hashable, Sendable, Codable, CaseIterable {
        case text = "txt"
        case subRip = "srt"
        case webVTT = "vtt"
        case json
    }

    public var stream: String
    public var room: String
    public var session: String
    public var language: String
    public var lines: [RecordedCaptions.Line]

    public init(
        stream: String, room: String, session: String, language: String,
        lines: [RecordedCaptions.Line]
    ) {
        self.stream = stream
        self.room = room
        self.session = session
        self.language = language
        self.lines = lines
    }

    public func rendered(_ format: Format) -> String {
        switch format {
        case .text: text
        case .subRip: subRip
        case .webVTT:
            WebVTT.rendered(
                lines.map {
                    WebVTT.Cue(start: $0.start, end: $0.end, text: $0.text, speaker: $0.speaker)
                })
        case .json: json
        }
    }

    /// A line for each text, with its time and its speaker.
    private var text: String {
        lines.map { line in
            let time = WebVTT.time(line.start).prefix { $0 != "." }
            return "[\(time)] \(Self.spoken(line, separator: " "))\n"
        }.joined()
    }

    /// SubRip has no escapes, and players read what looks like a tag as one.
    private var subRip: String {
        lines.enumerated().map { index, line in
            let times =
                "\(WebVTT.time(line.start, mark: ",")) --> \(WebVTT.time(line.end, mark: ","))"
            let shown = Self.spoken(line, separator: "\n")
                .replacing("-->", with: "->").replacing("<", with: "‹")
            return "\(index + 1)\n\(times)\n\(shown)\n\n"
        }.joined()
    }

    private static func spoken(_ line: RecordedCaptions.Line, separator: String) -> String {
        let text = WebVTT.lines(of: line.text).joined(separator: separator)
        let speaker = line.speaker.map { WebVTT.lines(of: $0).joined(separator: " ") } ?? ""
        return speaker.isEmpty ? text : "\(speaker): \(text)"
    }

    private struct Document: Encodable {
        struct Line: Encodable {
            var start: Int64
            var end: Int64
            var speaker: String?
            var peer: String?
            var text: String

            enum CodingKeys: String, CodingKey {
                case speaker = "peer_name"
                case peer = "peer_id"
                case text
                case start = "start_ms"
                case end = "end_ms"
            }
        }

        var stream: String
        var room: String
        var session: String
        var language: String
        var lines: [Line]

        enum CodingKeys: String, CodingKey {
            case language
            case stream = "stream_id"
            case room = "room_id"
            case session = "session_id"
            case lines = "transcript"
        }
    }

    private var json: String {
        let document = Document(
            stream: stream, room: room, session: session, language: language,
            lines: lines.map {
                Document.Line(
                    start: $0.start, end: $0.end, speaker: $0.speaker, peer: $0.peer,
                    text: $0.text)
            })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let data = try? encoder.encode(document) else {
            preconditionFailure("numbers and texts always encode")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
