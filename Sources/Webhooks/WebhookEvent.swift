public import MediaKernel

/// What a receiver is told: 100ms' envelope.
public struct WebhookEvent: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case hlsStarted = "hls.started.success"
        case hlsStopped = "hls.stopped.success"
        case hlsFailed = "hls.failure"
        case hlsRecorded = "hls.recording.success"
        case beamStarted = "beam.started.success"
        case beamStopped = "beam.stopped.success"
        case beamFailed = "beam.failure"
        case beamRecorded = "beam.recording.success"
        case recordingDone = "recording.success"
        case recordingFailed = "recording.failed"
        case sessionOpened = "session.open.success"
        case sessionClosed = "session.close.success"
        case peerJoined = "peer.join.success"
        case peerLeft = "peer.leave.success"

        /// Whether it tells the end of a live stream, of which there is exactly one.
        public var isTerminal: Bool {
            switch self {
            case .hlsStopped, .hlsFailed, .beamStopped, .beamFailed: true
            case .hlsStarted, .hlsRecorded, .beamStarted, .beamRecorded, .recordingDone,
                .recordingFailed, .sessionOpened, .sessionClosed, .peerJoined, .peerLeft:
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

    /// Made once and sent in every attempt: a signature covers its bytes.
    public var body: [UInt8] {
        var writer = JSONWriter()
        writer.write(
            .object([
                "version": .string("2.0"), "id": .string(id), "account_id": .string(accountID),
                "app_id": .string(appID), "timestamp": .string(timestamp),
                "type": .string(kind.rawValue), "data": data,
            ]))
        return writer.bytes
    }
}
