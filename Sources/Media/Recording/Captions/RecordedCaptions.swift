import HLS
import MediaKernel

/// The captions of one language in a recording: where they were said, even those that came late
/// for the players of the live stream. What was said while recording was paused is left out.
public struct RecordedCaptions: Sendable {
    /// One text in the recording's own time, from its beginning, in milliseconds.
    public struct Line: Hashable, Sendable {
        public var start: Int64
        public var end: Int64
        public var text: String
        public var speaker: String?
        public var peer: String?

        public init(
            start: Int64, end: Int64, text: String, speaker: String? = nil, peer: String? = nil
        ) {
            self.start = start
            self.end = end
            self.text = text
            self.speaker = speaker
            self.peer = peer
        }
    }

    /// In the order in which they were said.
    public let lines: [Line]
    private let plan: RecordingPlan
    /// For each part, the captions that it touches, in milliseconds since 1970.
    private let touched: [Int: [CaptionPlacer.Entry]]

    /// - Parameters:
    ///   - captions: of all languages.
    ///   - language: the code of one.
    public init(_ captions: [Caption], language: String, in plan: RecordingPlan) {
        self.plan = plan
        var lines: [Line] = []
        var touched: [Int: [CaptionPlacer.Entry]] = [:]
        let length = plan.duration.rescaled(to: 1000).ticks
        let own = captions.filter { $0.language == language }
            .sorted { ($0.start, $0.number) < ($1.start, $1.number) }
        for caption in own {
            guard let first = plan.part(at: caption.start * 1_000_000) else { continue }
            let begin = plan.parts[first].start
            // A caption of a gap belongs to the next part, one after the end to the last one.
            let start = min(max(caption.start, begin), max(begin, plan.parts[first].end - 1))
            let end = start + (caption.end - caption.start)
            var entry = caption.entry
            (entry.start, entry.end) = (start, end)
            for index in first..<plan.parts.count {
                guard plan.parts[index].start < end, plan.parts[index].end > start else { break }
                guard touched[index, default: []].count < CaptionPlacer.perSegmentMaximum else {
                    continue
                }
                touched[index, default: []].append(entry)
            }
            let place = plan.offset(ofPart: first) + (start - begin)
            lines.append(
                Line(
                    start: place, end: max(place + 1, min(place + end - start, length)),
                    text: caption.text, speaker: caption.speaker, peer: caption.peer))
        }
        self.lines = lines
        self.touched = touched
    }

    /// The WebVTT segment of a part.
    func segment(ofPart index: Int) -> String {
        let record = plan.parts[index].layers[0]
        let zero = record.run / 1_000_000
        let cues = (touched[index] ?? []).map { entry in
            WebVTT.Cue(
                start: max(0, entry.start - zero), end: entry.end - zero, text: entry.text,
                speaker: entry.speaker, number: entry.number)
        }
        return WebVTT.rendered(
            cues,
            map: WebVTT.TimestampMap(
                local: plan.parts[index].start - zero, origin: record.origin))
    }
}

extension RecordingPlan.Part {
    /// Milliseconds since 1970.
    fileprivate var start: Int64 { layers[0].startDate / 1_000_000 }

    /// The end in milliseconds since 1970.
    fileprivate var end: Int64 {
        SegmentRecord.date(
            ofFrame: layers[0].firstFrame + Int64(frameCount), run: layers[0].run,
            frameRate: layers[0].frameRate) / 1_000_000
    }
}

extension RecordingPlan {
    /// A part's beginning in the recording, in milliseconds.
    fileprivate func offset(ofPart index: Int) -> Int64 {
        MediaTime(ticks: parts[index].firstFrame, timescale: Int32(frameRate))
            .rescaled(to: 1000).ticks
    }
}
