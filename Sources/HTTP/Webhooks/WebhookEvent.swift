public import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An event for a receiver, in 100ms' envelope.
public struct WebhookEvent: Hashable, Sendable, Encodable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case hlsStarted = "hls.started.success"
        case hlsStopped = "hls.stopped.success"
        case hlsFailed = "hls.failure"
        case hlsRecorded = "hls.recording.success"
        case beamStarted = "beam.started.success"
        case beamStopped = "beam.stopped.success"
        case beamFailed = "beam.failure"
        case beamRecorded = "beam.recording.success"
        case tracksStarted = "track.recording.started.success"
        case tracksRecorded = "track.recording.success"
        case tracksFailed = "track.recording.failure"
        case peersRecorded = "stream.recording.success"
        case peersFailed = "stream.recording.failure"
        case recordingDone = "recording.success"
        case recordingFailed = "recording.failed"
        case outputLive = "output.live"
        case outputRetrying = "output.retrying"
        case outputFailed = "output.failed"
        case sessionOpened = "session.open.success"
        case sessionClosed = "session.close.success"
        case peerJoined = "peer.join.success"
        case peerLeft = "peer.leave.success"
        case roleChanged = "role.change.success"
        case roomEnded = "room.end.success"
        case invitationSent = "group_call.invitation.sent"
        case invitationAnswered = "group_call.invitation.answered"
        case callDeleted = "group_call.deleted"

        /// Whether it reports the end of a live stream; each stream has exactly one such event.
        public var isTerminal: Bool {
            switch self {
            case .hlsStopped, .hlsFailed, .beamStopped, .beamFailed: true
            case .hlsStarted, .hlsRecorded, .beamStarted, .beamRecorded,
                .tracksStarted, .tracksRecorded, .tracksFailed, .peersRecorded, .peersFailed,
                .recordingDone, .recordingFailed, .outputLive, .outputRetrying, .outputFailed,
                .sessionOpened, .sessionClosed, .peerJoined, .peerLeft, .roleChanged, .roomEnded,
                .invitationSent, .invitationAnswered, .callDeleted:
                false
            }
        }
    }

    public var id: String
    public var accountID: String
    public var appID: String
    /// RFC 3339, UTC, whole seconds.
    public var timestamp: String
    public var kind: Kind
    public var data: JSONValue

    public init(
        id: String, accountID: String, appID: String, timestamp: String, kind: Kind, data: JSONValue
    ) {
        self.id = id
        self.accountID = accountID
        self.appID = appID
        self.timestamp = timestamp
        self.kind = kind
        self.data = data
    }

    enum CodingKeys: String, CodingKey {
        case version, id, timestamp, data
        case accountID = "account_id"
        case appID = "app_id"
        case kind = "type"
        case template = "template_id"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("2.0", forKey: .version)
        try container.encode(id, forKey: .id)
        try container.encode(accountID, forKey: .accountID)
        try container.encode(appID, forKey: .appID)
        try container.encode(timestamp, forKey: .timestamp)
        try container.encode(kind, forKey: .kind)
        if case .object(let fields) = data, let template = fields["template_id"] {
            try container.encode(template, forKey: .template)
        }
        try container.encode(data, forKey: .data)
    }

    /// Encoded once and sent in every attempt: a signature covers its bytes.
    public var body: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("an event holds nothing but text, integers and booleans")
        }
        return Array(data)
    }
}
