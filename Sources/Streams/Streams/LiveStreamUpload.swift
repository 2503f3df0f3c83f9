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
