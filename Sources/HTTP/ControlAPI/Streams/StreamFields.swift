import MediaKernel
import Streams

/// The fields that every body about a stream, a recording or an external stream has, with `null` for
/// values that are not known yet. The first stream of a start request has the request's warnings.
struct StreamFields: Encodable {
    var stream: LiveStream

    init(_ stream: LiveStream) { self.stream = stream }

    enum CodingKeys: String, CodingKey {
        case id, status, destination, outputs, warnings
        case roomID = "room_id"
        case sessionID = "session_id"
        case meetingURL = "meeting_url"
        case createdAt = "created_at"
        case startedAt = "started_at"
        case updatedAt = "updated_at"
        case stoppedAt = "stopped_at"
        case startedBy = "started_by"
        case stoppedBy = "stopped_by"
        case stopReason = "stop_reason"
        case stopCode = "stop_code"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stream.id, forKey: .id)
        try container.encode(stream.room, forKey: .roomID)
        try container.encode(stream.session?.rawValue ?? "", forKey: .sessionID)
        try container.encode(stream.status.rawValue, forKey: .status)
        try container.encode(stream.plan.variant.shownURL, forKey: .meetingURL)
        try container.encode(stream.plan.destination, forKey: .destination)
        try container.encode(stream.createdAt.description, forKey: .createdAt)
        try container.encode(stream.startedAt?.description, forKey: .startedAt)
        try container.encode(stream.updatedAt.description, forKey: .updatedAt)
        try container.encode(stream.stoppedAt?.description, forKey: .stoppedAt)
        try container.encode(stream.startedBy, forKey: .startedBy)
        try container.encode(stream.stoppedBy, forKey: .stoppedBy)
        try container.encode(stream.end?.description, forKey: .stopReason)
        try container.encode(stream.end?.code, forKey: .stopCode)
        try container.encode(stream.outputBodies, forKey: .outputs)
        if !stream.warnings.isEmpty { try container.encode(stream.warnings, forKey: .warnings) }
    }
}
