extension BotReport {
    /// A part of a segment of low-latency HLS, whose file is in the directory of its layer's
    /// fragments: `cmaf_<layer>/` beside transport streams, else `stream_<layer>/`.
    public struct Part: Hashable, Sendable {
        public var layer: Int
        /// The number of its segment, as in the playlist.
        public var segment: Int
        /// Counted from 0 in its segment.
        public var part: Int
        /// The file's name.
        public var uri: String
        /// Its duration, in frames of `frameRate` a second. Only a segment's last part may have
        /// fewer than the plan says.
        public var frames: Int
        public var frameRate: Int
        /// Whether decoding can start with it.
        public var isIndependent: Bool
        /// Only of a segment's first part.
        public var start: SegmentStart?

        public init(
            layer: Int, segment: Int, part: Int, uri: String, frames: Int, frameRate: Int,
            isIndependent: Bool, start: SegmentStart? = nil
        ) {
            self.layer = layer
            self.segment = segment
            self.part = part
            self.uri = uri
            self.frames = frames
            self.frameRate = frameRate
            self.isIndependent = isIndependent
            self.start = start
        }
    }

    /// What a playlist says before a segment.
    public struct SegmentStart: Hashable, Sendable {
        /// Of the segment's first frame, in nanoseconds since 1970.
        public var programDateTime: Int64
        /// The file's name of the initialization section, in the same directory.
        public var header: String
        /// Whether the segment does not continue the one before it.
        public var isDiscontinuity: Bool

        public init(programDateTime: Int64, header: String, isDiscontinuity: Bool) {
            self.programDateTime = programDateTime
            self.header = header
            self.isDiscontinuity = isDiscontinuity
        }
    }
}

/// All in one object, with the start's fields beside the others.
extension BotReport.Part: Codable {
    enum CodingKeys: String, CodingKey {
        case layer, segment, part, uri, frames, independent, header, discontinuity
        case frameRate = "frame_rate"
        case programDateTime = "program_date_time_ns"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(layer, forKey: .layer)
        try container.encode(segment, forKey: .segment)
        try container.encode(part, forKey: .part)
        try container.encode(uri, forKey: .uri)
        try container.encode(frames, forKey: .frames)
        try container.encode(frameRate, forKey: .frameRate)
        try container.encode(isIndependent, forKey: .independent)
        guard let start else { return }
        try container.encode(start.programDateTime, forKey: .programDateTime)
        try container.encode(start.header, forKey: .header)
        try container.encode(start.isDiscontinuity, forKey: .discontinuity)
    }

    /// A part whose place or duration is missing is of no use.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            layer: try container.decode(Int.self, forKey: .layer),
            segment: try container.decode(Int.self, forKey: .segment),
            part: try container.decode(Int.self, forKey: .part),
            uri: try container.decode(String.self, forKey: .uri),
            frames: try container.decode(Int.self, forKey: .frames),
            frameRate: try container.decode(Int.self, forKey: .frameRate),
            isIndependent: try container.found(.independent, or: false))
        guard let header = try container.decodeIfPresent(String.self, forKey: .header) else {
            return
        }
        start = BotReport.SegmentStart(
            programDateTime: try container.decode(Int64.self, forKey: .programDateTime),
            header: header,
            isDiscontinuity: try container.found(.discontinuity, or: false))
    }
}
