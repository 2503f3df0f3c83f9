public import MediaKernel

/// The best simulcast layer of a video that a subscriber wants. RFC 8853.
public enum LayerPreference: String, Hashable, Sendable, CaseIterable, Comparable {
    case none, low, medium, high

    private var rank: Int {
        switch self {
        case .none: 0
        case .low: 1
        case .medium: 2
        case .high: 3
        }
    }

    public static func < (a: LayerPreference, b: LayerPreference) -> Bool { a.rank < b.rank }
}

/// The layers of a video that a peer publishes, and which of them the server sends.
public struct TrackLayers: Hashable, Sendable {
    public struct Layer: Hashable, Sendable {
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
    /// The layer that is sent.
    public var current: LayerPreference
    /// The layer that would be sent if the network allowed it.
    public var expected: LayerPreference
    /// In any order; empty where the server does not tell.
    public var layers: [Layer]

    public init(
        track: TrackID, current: LayerPreference, expected: LayerPreference, layers: [Layer]
    ) {
        self.track = track
        self.current = current
        self.expected = expected
        self.layers = layers
    }
}
