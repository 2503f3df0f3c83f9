public import MediaKernel
public import Rooms

/// Starts and stops the streams of a room, and its recording without one, at the request of a peer
/// in it (`hls-start`, `hls-stop`, `rtmp-start`, `rtmp-stop`). What becomes of it comes back by
/// ``RoomSignalling/hlsChanged(_:)`` and ``RoomSignalling/recordingChanged(_:)``.
public protocol LiveStreaming: Sendable {
    /// Starting what runs is no error. No variants: the default view.
    ///
    /// - Parameter authority: `host[:port]` under which the peer found this server, one of those
    ///   that a meeting URL may have.
    /// - Throws: ``LiveStreamingError``, shown to the peer; anything else is shown as a 500.
    func start(
        room: RoomID, variants: [HLSVariantRequest], recording: HLSRecordingRequest?,
        startedBy: PeerID, authority: String
    ) async throws
    /// Stopping what is stopped is no error. No variants: every stream of the room.
    func stop(room: RoomID, variants: [HLSVariantRequest], stoppedBy: PeerID) async throws
    /// Starting what runs is no error.
    ///
    /// - Parameter authority: as with a stream.
    /// - Throws: ``LiveStreamingError``, shown to the peer; anything else is shown as a 500.
    func startRecording(
        room: RoomID, _ request: RecordingRequest, startedBy: PeerID, authority: String
    ) async throws
    /// Stopping what is stopped is no error.
    func stopRecording(room: RoomID, stoppedBy: PeerID) async throws
    /// A message was sent in the room. Called in the order of the messages.
    func said(_ message: Message, room: RoomID)
    /// Lists it in the playlists of the room's streams, from the segment of this moment on.
    func addTimedMetadata(
        _ metadata: [HLSTimedMetadata], room: RoomID, addedBy: PeerID
    ) async throws
}

/// What a peer asked to stream: `variants` of `hls-start`.
public struct HLSVariantRequest: Hashable, Sendable, Codable {
    public var meetingURL: String?
    public var metadata: String?

    public init(meetingURL: String? = nil, metadata: String? = nil) {
        self.meetingURL = meetingURL
        self.metadata = metadata
    }

    enum CodingKeys: String, CodingKey {
        case meetingURL = "meeting_url"
        case metadata
    }
}

/// What a peer asked to keep of it: `hls_recording` of `hls-start`.
public struct HLSRecordingRequest: Hashable, Sendable, Codable {
    public var singleFilePerLayer: Bool?
    public var hlsVOD: Bool?

    public init(singleFilePerLayer: Bool? = nil, hlsVOD: Bool? = nil) {
        self.singleFilePerLayer = singleFilePerLayer
        self.hlsVOD = hlsVOD
    }

    enum CodingKeys: String, CodingKey {
        case singleFilePerLayer = "single_file_per_layer"
        case hlsVOD = "hls_vod"
    }
}

/// What a peer asked to record without a live stream: of `rtmp-start`.
public struct RecordingRequest: Hashable, Sendable {
    /// Of the picture, in luma samples.
    public struct Resolution: Hashable, Sendable, Codable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    public var meetingURL: String?
    public var resolution: Resolution?

    public init(meetingURL: String? = nil, resolution: Resolution? = nil) {
        self.meetingURL = meetingURL
        self.resolution = resolution
    }
}

/// What a peer wants of the streams' players at this moment: of `metadata_objs` of
/// `hls-timed-metadata`.
public struct HLSTimedMetadata: Hashable, Sendable, Codable {
    public var payload: String
    /// In seconds.
    public var duration: Int

    public init(payload: String, duration: Int) {
        self.payload = payload
        self.duration = duration
    }
}

/// Why a stream was not started or stopped: an HTTP-like code and a sentence for the peer.
public struct LiveStreamingError: Error, Hashable, Sendable {
    public var code: Int
    public var message: String

    public init(code: Int, message: String) {
        self.code = code
        self.message = message
    }
}
