internal import MediaKernel
internal import MediaServer

// Converts the media plane's values to the protocol's and back.

extension TrackLayersPayload.Track {
    init(_ layers: TrackLayers) {
        self.init(
            trackID: layers.track, currentLayer: layers.current,
            expectedLayer: layers.expected,
            isSubscriberDegraded: layers.isSubscriberDegraded,
            isPublisherDegraded: layers.isPublisherDegraded,
            layers: layers.layers.map {
                TrackLayersPayload.Layer(
                    layer: $0.name, width: $0.width, height: $0.height)
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
