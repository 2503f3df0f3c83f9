import Streams

/// An upload in the control API.
struct LiveStreamUploadBody: Encodable {
    var upload: LiveStream.Upload

    init(_ upload: LiveStream.Upload) { self.upload = upload }

    enum CodingKeys: String, CodingKey {
        case location, failures, reason
        case isPlayable = "playable"
        case segmentsStored = "segments_stored"
        case segmentsWaiting = "segments_waiting"
        case isComplete = "complete"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(upload.location, forKey: .location)
        try container.encode(upload.isPlayable, forKey: .isPlayable)
        try container.encode(upload.segmentsStored, forKey: .segmentsStored)
        try container.encode(upload.segmentsWaiting, forKey: .segmentsWaiting)
        try container.encode(upload.isComplete, forKey: .isComplete)
        try container.encode(upload.failures, forKey: .failures)
        try container.encode(upload.reason, forKey: .reason)
    }
}
