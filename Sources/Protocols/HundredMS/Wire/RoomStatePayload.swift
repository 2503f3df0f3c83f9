internal import HundredMSTerms
public import MediaKernel
public import Rooms

/// One variant of a room's streams on the wire (`docs/PROTOCOL.md` section 6).
public struct HLSVariantPayload: Hashable, Sendable, Codable {
    public var url: String
    public var meetingURL: String?
    public var metadata: String?
    public var playlistType: HLSVariant.PlaylistType?
    public var streamType: String?
    /// In milliseconds since 1970.
    public var initialisedAt: Int64?
    public var startedAt: Int64?
    public var state: HLSVariant.State?
    /// Not in 100ms' protocol; nil if there are none.
    public var tracksLeftOut: [LeftOutTrackPayload]?

    enum CodingKeys: String, CodingKey {
        case url
        case meetingURL = "meeting_url"
        case metadata
        case playlistType = "playlist_type"
        case streamType = "stream_type"
        case initialisedAt = "initialised_at"
        case startedAt = "started_at"
        case state
        case tracksLeftOut = "tracks_left_out"
    }

    public init(_ variant: HLSVariant) {
        url = variant.url
        meetingURL = variant.meetingURL
        metadata = variant.metadata
        playlistType = variant.playlistType
        streamType = "composite"
        initialisedAt = variant.initialisedAt?.milliseconds
        startedAt = variant.startedAt?.milliseconds
        state = variant.state
        tracksLeftOut =
            variant.tracksLeftOut.isEmpty
            ? nil : variant.tracksLeftOut.map(LeftOutTrackPayload.init)
    }
}

/// A track that a stream leaves out, since it cannot be decoded.
public struct LeftOutTrackPayload: Hashable, Sendable, Codable {
    public var track: TrackID
    public var peer: PeerID
    public var name: String
    public var reason: String

    enum CodingKeys: String, CodingKey {
        case track = "track_id"
        case peer = "peer_id"
        case name = "peer_name"
        case reason
    }

    public init(_ track: HLSVariant.LeftOutTrack) {
        (self.track, peer) = (track.track, track.peer)
        (name, reason) = (track.name, track.reason)
    }
}

/// `on-hls-update`, and `streaming.hls` of the room's state.
public struct HLSPayload: Hashable, Sendable, Codable {
    public var enabled: Bool
    public var variants: [HLSVariantPayload]
    public var error: ErrorPayload?
    /// The requested recording.
    public var recording: HLSRecordingRequest?

    public init(_ state: HLSState) {
        enabled = state.isRunning
        variants = state.variants.map(HLSVariantPayload.init)
        error = state.error.map { ErrorPayload(code: $0.code, message: $0.message) }
        recording = state.recording.map { HLSRecordingRequest($0) }
    }

    enum CodingKeys: String, CodingKey {
        case enabled, variants, error
        case recording = "hls_recording"
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        enabled = try values.decodeIfPresent(Bool.self, forKey: .enabled) ?? false
        variants =
            try values.decodeIfPresent([HLSVariantPayload].self, forKey: .variants) ?? []
        error = try values.decodeIfPresent(ErrorPayload.self, forKey: .error)
        recording = try values.decodeIfPresent(HLSRecordingRequest.self, forKey: .recording)
    }
}

/// `on-rtmp-update`, and `streaming.rtmp` of the room's state.
public struct RTMPPayload: Hashable, Sendable, Codable {
    public var enabled: Bool
    public var state: HLSVariant.State
    /// In milliseconds since 1970.
    public var startedAt: Int64?
    /// The peer that started it.
    public var peer: PeerPayload?
    public var error: ErrorPayload?
    /// Not in 100ms' protocol; nil if there are none.
    public var pushes: [PushPayload]?

    /// One place that the room is pushed to, without its key.
    public struct PushPayload: Hashable, Sendable, Codable {
        public var url: String
        public var state: String
        public var reason: String?
        /// In milliseconds since 1970.
        public var since: Int64?

        public init(_ push: RTMPPushes.Push) {
            (url, state, reason) = (push.url, push.state, push.reason)
            since = push.since?.milliseconds
        }
    }

    enum CodingKeys: String, CodingKey {
        case enabled, state, peer, error, pushes
        case startedAt = "started_at"
    }

    /// - Parameter starter: the peer that started it, if listeners may know of it; omitted in the
    ///   room's state.
    public init(_ state: RTMPState, starter: PeerPayload? = nil) {
        enabled = state.isRunning
        peer = starter
        switch state {
        case .none: self.state = .none
        case .failed(let failure, _):
            self.state = .failed
            error = ErrorPayload(code: failure.code, message: failure.message)
        case .pushed(let state):
            self.state = state.state
            startedAt = state.startedAt?.milliseconds
            pushes = state.pushes.isEmpty ? nil : state.pushes.map(PushPayload.init)
            if state.state == .failed {
                error = ErrorPayload(
                    code: 502, message: state.pushes.compactMap(\.reason).first ?? "failed")
            }
        }
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        enabled = try values.decodeIfPresent(Bool.self, forKey: .enabled) ?? false
        startedAt = try values.decodeIfPresent(Int64.self, forKey: .startedAt)
        pushes = try values.decodeIfPresent([PushPayload].self, forKey: .pushes)
        // Other servers may send unknown states.
        state = (try? values.decodeIfPresent(HLSVariant.State.self, forKey: .state)) ?? .none
        peer = try values.decodeIfPresent(PeerPayload.self, forKey: .peer)
        error = try values.decodeIfPresent(ErrorPayload.self, forKey: .error)
    }
}

/// The room in `peer-list` and `room-state` (`docs/PROTOCOL.md` section 6).
public struct RoomStatePayload: Hashable, Sendable, Codable {
    public struct Recording: Hashable, Sendable, Codable {
        /// One recording per track, which this server does not make.
        public var sfu = RecordingPayload(nil as RoomRecording?)
        public var browser: RecordingPayload
        public var hls: RecordingPayload

        public init(_ room: Room) {
            browser = RecordingPayload(room.streaming.recording)
            hls = RecordingPayload(room.streaming.hls)
        }
    }

    public struct Streaming: Hashable, Sendable, Codable {
        public var enabled: Bool
        public var rtmp: RTMPPayload?
        public var hls: HLSPayload

        public init(_ room: Room) {
            enabled = room.streaming.hls.isRunning
            rtmp = RTMPPayload(room.streaming.rtmp)
            hls = HLSPayload(room.streaming.hls)
        }
    }

    public var name: String
    public var sessionID: String?
    /// In milliseconds since 1970.
    public var startedAt: Int64?
    public var recording: Recording?
    public var streaming: Streaming?
    public var transcriptions: [JSONValue]?

    enum CodingKeys: String, CodingKey {
        case name
        case sessionID = "session_id"
        case startedAt = "started_at"
        case recording, streaming, transcriptions
    }

    public init(_ room: Room) {
        name = room.name
        sessionID = room.visibleSession?.id.rawValue
        startedAt = room.visibleSession?.startedAt.milliseconds
        recording = Recording(room)
        streaming = Streaming(room)
        transcriptions = []
    }
}
