internal import HundredMSTerms
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

extension LayerNames {
    /// The names of the layers, by the rids that the clients use.
    static let hundredMS = LayerNames(
        Dictionary(
            uniqueKeysWithValues: zip(
                HundredMSTerms.rids, [.high, .medium, .low] as [LayerPreference])
        ))
}

extension TransportTarget {
    var connection: ConnectionKey {
        switch self {
        case .publish: .publish
        case .subscribe: .subscribe
        }
    }
}
