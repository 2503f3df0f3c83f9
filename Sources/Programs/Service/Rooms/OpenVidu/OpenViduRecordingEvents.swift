import Catalogue
import MediaKernel
import OpenVidu
import Streams

/// What OpenVidu's application servers are told of recordings that they know.
///
/// An event's id is derived from the recording's, so that each is told once, whatever its record
/// passes through.
struct OpenViduRecordingEvents: StreamEventSource {
    let webhook: OpenViduWebhook

    func deliveries(
        for record: CatalogueStream, order: RecordingOrder?, assets: [CatalogueAsset]
    ) -> [CatalogueDelivery] {
        guard let stream = LiveStream(record), stream.plan.recording?.label != nil,
            stream.status != .starting
        else { return [] }
        let status = OpenViduRecordingBody.status(of: stream)
        let detail = CallDetail(
            .recordingStatusChanged, in: stream.room, since: stream.origin.sessionStartedAt,
            at: stream.updatedAt, start: stream.createdAt.milliseconds,
            reason: stream.end.flatMap(OpenViduRecordingBody.reason),
            OpenViduRecordingBody(stream, assets).event(status))
        return [webhook.delivery(of: detail, id: "\(stream.id)-openvidu-\(status)")]
            .compactMap(\.self)
    }
}
