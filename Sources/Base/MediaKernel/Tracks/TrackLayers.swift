/// The layers of a video: the available ones, and the one that a subscriber receives.
public struct TrackLayers: Sendable, Hashable {
    /// One form of the video.
    public struct Layer: Sendable, Hashable {
        public var name: LayerPreference
        /// In pixels, before rotation.
        public var width: Int
        public var height: Int

        public init(name: LayerPreference, width: Int, height: Int) {
            self.name = name
            self.width = width
            self.height = height
        }
    }

    public var track: TrackID
    /// The layer that is forwarded, or will be from the next key frame.
    public var current: LayerPreference
    /// The layer that the subscriber prefers.
    public var expected: LayerPreference
    /// A lower layer than expected is forwarded because the subscriber's link or total bitrate
    /// limit does not carry it.
    public var isSubscriberDegraded: Bool
    /// A lower layer than expected is forwarded because the publisher does not send it.
    public var isPublisherDegraded: Bool
    /// Poorest first; only those whose size is known.
    public var layers: [Layer]

    public init(
        track: TrackID, current: LayerPreference, expected: LayerPreference,
        isSubscriberDegraded: Bool = false, isPublisherDegraded: Bool = false, layers: [Layer]
    ) {
        self.track = track
        self.current = current
        self.expected = expected
        self.isSubscriberDegraded = isSubscriberDegraded
        self.isPublisherDegraded = isPublisherDegraded
        self.layers = layers
    }
}
