internal import MediaServer

// The media plane's values as the protocol shows them, and back.

extension VideoLayerPreference {
    init(_ preference: LayerPreference) {
        switch preference {
        case .none: self = .none
        case .low: self = .low
        case .medium: self = .medium
        case .high: self = .high
        }
    }

    var preference: LayerPreference {
        switch self {
        case .none: .none
        case .low: .low
        case .medium: .medium
        case .high: .high
        }
    }
}

extension TrackLayersPayload.Track {
    init(_ layers: TrackLayers) {
        self.init(
            trackID: layers.track, currentLayer: VideoLayerPreference(layers.current),
            expectedLayer: VideoLayerPreference(layers.expected),
            isSubscriberDegraded: layers.isSubscriberDegraded,
            isPublisherDegraded: layers.isPublisherDegraded,
            layers: layers.layers.map {
                TrackLayersPayload.Layer(
                    layer: VideoLayerPreference($0.name), width: $0.width, height: $0.height)
            })
    }
}

extension TransportTarget {
    var connection: ConnectionKey {
        switch self {
        case .publish: .publish
        case .subscribe: .subscribe
        }
    }
}
