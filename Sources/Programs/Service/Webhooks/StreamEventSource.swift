import Catalogue
import Streams

/// What a receiver is told of streams, in the words of its protocol.
protocol StreamEventSource: Sendable {
    /// The events of a stream that has changed its state, or has ended with these assets. They are
    /// written down with the state; a state that is written down again has the same, by their ids.
    func deliveries(
        for record: CatalogueStream, order: RecordingOrder?, assets: [CatalogueAsset]
    ) -> [CatalogueDelivery]

    /// The events of an output that is in another state now.
    func deliveries(
        for record: CatalogueStream, output: StreamOutput, _ status: PushStatus
    ) -> [CatalogueDelivery]
}

extension StreamEventSource {
    func deliveries(
        for record: CatalogueStream, output: StreamOutput, _ status: PushStatus
    ) -> [CatalogueDelivery] { [] }
}
