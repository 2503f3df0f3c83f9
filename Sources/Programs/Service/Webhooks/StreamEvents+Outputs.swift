import Catalogue
import MediaKernel
import Streams
import Webhooks

/// Events about the places that streams are pushed to: Roomcast's own, since 100ms has none.
extension StreamEvents {
    func deliveries(
        for record: CatalogueStream, output: StreamOutput, _ status: PushStatus
    ) -> [CatalogueDelivery] {
        guard let stream = LiveStream(record), let kind = Self.kind(status.report.state) else {
            return []
        }
        var data = Self.origin(of: stream, at: status.since)
        data["job_id"] = .string(stream.id.rawValue)
        data["output"] = Self.fields(of: output, status.report, status)
        // A repeated report of the same state is the same event.
        let number = "-\(output.id)-\(status.since.nanoseconds)"
        return [delivery(kind, data, of: record, number: number, at: status.since)]
    }

    /// Nil for a state that is told with the stream's start and end.
    private static func kind(_ state: PushReport.State) -> WebhookEvent.Kind? {
        switch state {
        case .live: .outputLive
        case .retrying: .outputRetrying
        case .failed: .outputFailed
        case .connecting, .stopped: nil
        }
    }

    /// The outputs of a stream with their states.
    static func outputs(of stream: LiveStream) -> JSONValue {
        .array(
            stream.plan.outputs.map { output in
                fields(
                    of: output, stream.pushReport(of: output), stream.health.outputs[output.id])
            })
    }

    /// As in the control API: without the key.
    private static func fields(
        of output: StreamOutput, _ report: PushReport, _ status: PushStatus?
    ) -> JSONValue {
        let reason: JSONValue = report.reason.map { .string($0) } ?? .null
        return .object([
            "id": .string(output.id), "url": .string(output.shown),
            "layer": .integer(Int64(output.layer)), "state": .string(report.state.rawValue),
            "reason": reason, "since": time(status?.since),
            "started_at": time(status?.startedAt), "bytes": .integer(report.bytes),
            "frames_dropped": .integer(Int64(report.framesDropped)),
            "reconnects": .integer(Int64(report.reconnects)),
        ])
    }
}
