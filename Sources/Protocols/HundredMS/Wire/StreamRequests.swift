public import MediaKernel
public import Rooms

// Requests to start and stop streams from the room, `docs/PROTOCOL.md` section 5.

public struct HLSStartParameters: Hashable, Sendable, Codable {
    public var variants: [HLSVariantRequest]?
    public var hlsRecording: HLSRecordingRequest?
    /// Roomcast's own: as in the control API's start request.
    public var layout: JSONValue?

    enum CodingKeys: String, CodingKey {
        case variants
        case hlsRecording = "hls_recording"
        case layout
    }

    public init(
        variants: [HLSVariantRequest]? = nil, hlsRecording: HLSRecordingRequest? = nil,
        layout: JSONValue? = nil
    ) {
        self.variants = variants
        self.hlsRecording = hlsRecording
        self.layout = layout
    }
}

public struct HLSStopParameters: Hashable, Sendable, Codable {
    public var variants: [HLSVariantRequest]?

    public init(variants: [HLSVariantRequest]? = nil) { self.variants = variants }
}

/// `rtmp-start`, which also starts a recording without a live stream.
public struct RTMPStartParameters: Hashable, Sendable, Codable {
    public var meetingURL: String?
    public var rtmpURLs: [String]?
    public var record: Bool?
    public var resolution: RecordingRequest.Resolution?

    public init(
        meetingURL: String? = nil, rtmpURLs: [String]? = nil, record: Bool? = nil,
        resolution: RecordingRequest.Resolution? = nil
    ) {
        self.meetingURL = meetingURL
        self.rtmpURLs = rtmpURLs
        self.record = record
        self.resolution = resolution
    }

    enum CodingKeys: String, CodingKey {
        case meetingURL = "meeting_url"
        case rtmpURLs = "rtmp_urls"
        case record, resolution
    }
}

public struct HLSTimedMetadataParameters: Hashable, Sendable, Codable {
    public var metadata: [HLSTimedMetadata]

    enum CodingKeys: String, CodingKey { case metadata = "metadata_objs" }

    public init(metadata: [HLSTimedMetadata]) { self.metadata = metadata }
}
