internal import HundredMSTerms
internal import MediaKernel
public import Rooms

/// `recording.hls` and `recording.browser` of the room's state (`docs/PROTOCOL.md` section 6;
/// `docs/api/recordings.md`, "In the room"): the recording of the streams, and the recording without
/// a live stream.
public struct RecordingPayload: Hashable, Sendable, Codable {
    public var enabled: Bool
    public var state: RecordingState
    /// In milliseconds since 1970.
    public var initialisedAt: Int64?
    public var startedAt: Int64?
    /// Of streams only.
    public var config: HLSRecordingRequest?
    public var error: ErrorPayload?

    enum CodingKeys: String, CodingKey {
        case enabled, state, config, error
        case initialisedAt = "initialised_at"
        case startedAt = "started_at"
    }

    /// The recording of the streams.
    public init(_ streams: HLSState) {
        let recording = streams.recording
        state = recording?.state ?? .none
        enabled = state.isOn
        initialisedAt = recording?.initialisedAt?.milliseconds
        startedAt = recording?.startedAt?.milliseconds
        config = recording.map { HLSRecordingRequest($0) }
        if state == .failed {
            error = streams.error.map { ErrorPayload(code: $0.code, message: $0.message) }
        }
    }

    /// - Parameter recording: nil if there has been none.
    public init(_ recording: RoomRecording?) {
        state = recording?.state ?? .none
        enabled = state.isOn
        initialisedAt = recording?.initialisedAt?.milliseconds
        startedAt = recording?.startedAt?.milliseconds
        error = recording?.error.map { ErrorPayload(code: $0.code, message: $0.message) }
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        enabled = try values.decodeIfPresent(Bool.self, forKey: .enabled) ?? false
        // Other servers may send unknown states.
        let state = try? values.decodeIfPresent(RecordingState.self, forKey: .state)
        self.state = state ?? .none
        initialisedAt = try values.decodeIfPresent(Int64.self, forKey: .initialisedAt)
        startedAt = try values.decodeIfPresent(Int64.self, forKey: .startedAt)
        config = try values.decodeIfPresent(HLSRecordingRequest.self, forKey: .config)
        error = try values.decodeIfPresent(ErrorPayload.self, forKey: .error)
    }
}

/// `on-record-update` of type `HLS` or `Browser`: the web client takes the recording's state from
/// it while it is in the room, and from the room's state when it joins.
public struct RecordingNotification: Hashable, Sendable, Codable {
    public var type: String
    public var state: RecordingState
    /// In milliseconds since 1970.
    public var initialisedAt: Int64?
    public var startedAt: Int64?
    /// The peer that started it.
    public var peer: PeerPayload?
    public var error: ErrorPayload?
    public var recording: HLSRecordingRequest?

    enum CodingKeys: String, CodingKey {
        case type, state
        case initialisedAt = "initialised_at"
        case startedAt = "started_at"
        case peer, error
        case recording = "hls_recording"
    }

    /// - Parameter starter: the peer that started it, if listeners may know of it.
    public init(_ state: HLSState, starter: PeerPayload?) {
        type = "HLS"
        self.state = state.recording?.state ?? .none
        initialisedAt = state.recording?.initialisedAt?.milliseconds
        startedAt = state.recording?.startedAt?.milliseconds
        peer = starter
        if self.state == .failed {
            error = state.error.map { ErrorPayload(code: $0.code, message: $0.message) }
        }
        recording = state.recording.map { HLSRecordingRequest($0) }
    }

    /// - Parameter starter: the peer that started it, if listeners may know of it.
    public init(_ recording: RoomRecording, starter: PeerPayload?) {
        type = "Browser"
        state = recording.state
        initialisedAt = recording.initialisedAt?.milliseconds
        startedAt = recording.startedAt?.milliseconds
        peer = starter
        error = recording.error.map { ErrorPayload(code: $0.code, message: $0.message) }
    }
}

extension HLSRecordingRequest {
    init(_ recording: HLSRecording) {
        self.init(
            singleFilePerLayer: recording.singleFilePerLayer, hlsVOD: recording.hlsVOD)
    }
}
