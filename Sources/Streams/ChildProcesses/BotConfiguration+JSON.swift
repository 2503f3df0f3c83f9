import MediaKernel
import Streams

/// One object holds the plan's fields and the others.
extension BotConfiguration: Codable {
    private enum CodingKeys: String, CodingKey {
        case room = "room_id"
        case stream = "stream_id"
        case isRecorded = "recorded"
        case isRecordingPaused = "recording_paused"
        case logLevel = "log_level"
        case logFormat = "log_format"
        case outputs = "pushes"
        case picturesDirectory = "pictures_directory"
        case speech
    }

    public func encode(to encoder: any Encoder) throws {
        try plan.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(room, forKey: .room)
        try container.encode(stream, forKey: .stream)
        try container.encode(isRecorded, forKey: .isRecorded)
        try container.encode(isRecordingPaused, forKey: .isRecordingPaused)
        try container.encode(logLevel, forKey: .logLevel)
        try container.encode(logFormat, forKey: .logFormat)
        if !outputs.isEmpty { try container.encode(outputs, forKey: .outputs) }
        try container.encodeIfPresent(picturesDirectory, forKey: .picturesDirectory)
        try container.encodeIfPresent(speech, forKey: .speech)
    }

    /// A file written by hand may leave out fields that have a default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            room: try container.decode(RoomID.self, forKey: .room),
            stream: try container.decode(StreamID.self, forKey: .stream),
            plan: try StreamPlan(from: decoder),
            isRecorded: try container.found(.isRecorded, or: false),
            isRecordingPaused: try container.found(.isRecordingPaused, or: false),
            logLevel: try container.found(.logLevel, or: "info"),
            logFormat: try container.found(.logFormat, or: "logfmt"))
        outputs = try container.found(.outputs, or: [])
        picturesDirectory = try container.decodeIfPresent(
            String.self, forKey: .picturesDirectory)
        speech = try container.decodeIfPresent(SpeechCommand.self, forKey: .speech)
    }
}
