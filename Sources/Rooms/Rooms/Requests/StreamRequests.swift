/// A view of the room that a peer asked to stream.
public struct HLSVariantRequest: Hashable, Sendable {
    public var meetingURL: String?
    public var metadata: String?

    public init(meetingURL: String? = nil, metadata: String? = nil) {
        self.meetingURL = meetingURL
        self.metadata = metadata
    }
}

/// A peer's request for the recording of a stream.
public struct HLSRecordingRequest: Hashable, Sendable {
    public var singleFilePerLayer: Bool?
    public var hlsVOD: Bool?

    public init(singleFilePerLayer: Bool? = nil, hlsVOD: Bool? = nil) {
        self.singleFilePerLayer = singleFilePerLayer
        self.hlsVOD = hlsVOD
    }
}

/// A peer's request for a recording without a live stream.
public struct RecordingRequest: Hashable, Sendable {
    /// Of the picture, in luma samples.
    public struct Resolution: Hashable, Sendable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    public var meetingURL: String?
    public var resolution: Resolution?
    /// The addresses to push to, unchecked.
    public var pushes: [String]
    /// Whether a file is kept.
    public var isRecorded: Bool

    public init(
        meetingURL: String? = nil, resolution: Resolution? = nil, pushes: [String] = [],
        isRecorded: Bool = true
    ) {
        self.meetingURL = meetingURL
        self.resolution = resolution
        self.pushes = pushes
        self.isRecorded = isRecorded
    }
}

/// A peer's message to the players of the room's streams at this moment.
public struct HLSTimedMetadata: Hashable, Sendable {
    public var payload: String
    /// In seconds.
    public var duration: Int

    public init(payload: String, duration: Int) {
        self.payload = payload
        self.duration = duration
    }
}

/// Why a stream was not started or stopped.
public struct LiveStreamingError: Error, Hashable, Sendable {
    public var failure: StreamingFailure

    /// - Parameter message: a sentence for the peer.
    public init(_ cause: StreamingFailure.Cause, message: String) {
        failure = StreamingFailure(cause, message: message)
    }
}
