extension LiveStream {
    /// The progress of the stream's copy in a store.
    public struct Upload: Hashable, Sendable {
        /// The prefix of all objects of the copy: `s3://bucket/prefix/live/…`.
        public var location: String
        /// The store has the master playlist and everything that it names.
        public var isPlayable = false
        /// Of the best layer.
        public var segmentsStored = 0
        /// Of the layer that is furthest behind.
        public var segmentsWaiting = 0
        /// The copy is complete, and nothing will follow.
        public var isComplete = false
        /// Consecutive failures of the layer that has the most.
        public var failures = 0
        /// The reason of the latest failure; nil without failures.
        public var reason: String?

        public init(location: String) { self.location = location }
    }
}
