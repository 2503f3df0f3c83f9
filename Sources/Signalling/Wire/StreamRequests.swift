// Streams that are started and stopped from the room, `hms.md` section 5.

public struct HLSStartParameters: Hashable, Sendable, Codable {
    public var variants: [HLSVariantRequest]?
    public var hlsRecording: HLSRecordingRequest?

    enum CodingKeys: String, CodingKey {
        case variants
        case hlsRecording = "hls_recording"
    }

    public init(
        variants: [HLSVariantRequest]? = nil, hlsRecording: HLSRecordingRequest? = nil
    ) {
        self.variants = variants
        self.hlsRecording = hlsRecording
    }
}

public struct HLSStopParameters: Hashable, Sendable, Codable {
    public var variants: [HLSVariantRequest]?

    public init(variants: [HLSVariantRequest]? = nil) { self.variants = variants }
}

public struct HLSTimedMetadataParameters: Hashable, Sendable, Codable {
    public var metadata: [HLSTimedMetadata]

    enum CodingKeys: String, CodingKey { case metadata = "metadata_objs" }

    public init(metadata: [HLSTimedMetadata]) { self.metadata = metadata }
}
