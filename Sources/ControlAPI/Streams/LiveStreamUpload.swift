extension LiveStream {
    /// How far the stream's copy in a store is.
    public struct Upload: Hashable, Sendable {
        /// What the copy's objects have in front of their names: `s3://bucket/prefix/live/…`.
        public var location: String
        /// The master playlist is there, and all that it names.
        public var isPlayable = false
        /// Segments of the best layer.
        public var segmentsStored = 0
        /// Of the layer that is furthest behind.
        public var segmentsWaiting = 0
        /// All is there, and nothing will follow.
        public var isComplete = false
        /// In a row, of the layer that has most.
        public var failures = 0
        /// Of the last one, while there are failures.
        public var reason: String?

        public init(location: String) { self.location = location }
    }
}

/// As the control API shows it.
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
