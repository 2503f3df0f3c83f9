public import Rooms

extension HLSVariantRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case meetingURL = "meeting_url"
        case metadata
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            meetingURL: try values.decodeIfPresent(String.self, forKey: .meetingURL),
            metadata: try values.decodeIfPresent(String.self, forKey: .metadata))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(meetingURL, forKey: .meetingURL)
        try values.encodeIfPresent(metadata, forKey: .metadata)
    }
}

extension HLSRecordingRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case singleFilePerLayer = "single_file_per_layer"
        case hlsVOD = "hls_vod"
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            singleFilePerLayer: try values.decodeIfPresent(Bool.self, forKey: .singleFilePerLayer),
            hlsVOD: try values.decodeIfPresent(Bool.self, forKey: .hlsVOD))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(singleFilePerLayer, forKey: .singleFilePerLayer)
        try values.encodeIfPresent(hlsVOD, forKey: .hlsVOD)
    }
}

extension RecordingRequest.Resolution: Codable {
    private enum CodingKeys: String, CodingKey { case width, height }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            width: try values.decode(Int.self, forKey: .width),
            height: try values.decode(Int.self, forKey: .height))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(width, forKey: .width)
        try values.encode(height, forKey: .height)
    }
}

extension HLSTimedMetadata: Codable {
    private enum CodingKeys: String, CodingKey { case payload, duration }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            payload: try values.decode(String.self, forKey: .payload),
            duration: try values.decode(Int.self, forKey: .duration))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(payload, forKey: .payload)
        try values.encode(duration, forKey: .duration)
    }
}
