public import ControlAPI
import HLS
import MediaKernel
import Streams

extension StreamService: MetricsSource {
    public func metrics() -> [Metric] {
        let counts = book.counts
        let streams = book.unfinished.compactMap { book[$0] }
        let byStatus = LiveStream.Status.allCases.filter { !$0.isFinal }.map { status in
            Metric.Sample(
                labels: [Metric.Label("status", status.rawValue)],
                value: Double(streams.count { $0.status == status }))
        }
        return [
            Metric(
                .gauge, "roomcast_streams", help: "Streams and recordings by status.",
                samples: byStatus),
            Metric(
                .gauge, "roomcast_stream_outputs",
                help: "Places that streams on air are pushed to, by state.",
                samples: streams.outputSamples),
            Metric(
                .gauge, "roomcast_streams_adapted",
                help: "Streams whose picture is adapted to a lack of CPU.",
                Double(streams.count { $0.status.isOnAir && $0.isReduced })),
            Metric(
                .gauge, "roomcast_streams_accepting",
                help: "1 while one more stream would be taken, else 0.",
                canAccept ? 1 : 0),
            Metric(
                .counter, "roomcast_streams_ended_total",
                help: "Streams and recordings that have reached their end.",
                samples: [("completed", counts.completed), ("failed", counts.failed)].map {
                    Metric.Sample(labels: [Metric.Label("status", $0)], value: Double($1))
                }),
            Metric(
                .counter, "roomcast_streams_refused_total",
                help: "Starts refused: too many streams or variants, or too little CPU.",
                Double(counts.refused)),
            Metric(
                .counter, "roomcast_stream_starts_total",
                help: "Streams whose first segments were published.", Double(counts.starts.count)),
            Metric(
                .counter, "roomcast_stream_start_seconds_total",
                help: "What they took for it from their requests, added up.",
                counts.starts.total.inSeconds),
            Metric(
                .gauge, "roomcast_finishers",
                help: "Streams whose assets are being made, and those that wait for a core.",
                samples: [
                    ("at_work", finisherQueue.atWork), ("waiting", finisherQueue.waiting.count),
                ].map {
                    Metric.Sample(labels: [Metric.Label("state", $0)], value: Double($1))
                }),
            Metric(
                .counter, "roomcast_bot_restarts_total",
                help: "Bots that took the place of one that had died.",
                Double(counts.botRestarts)),
            Metric(
                .counter, "roomcast_bot_warnings_total",
                help: "Warnings of bots, which the log has.", Double(counts.botWarnings)),
            Metric(
                .counter, "roomcast_picture_adaptations_total",
                help: "Changes of a picture that was adapted to the CPU, down and up.",
                Double(counts.adaptations)),
        ]
    }
}

extension [LiveStream] {
    /// The number of outputs on air in each state.
    fileprivate var outputSamples: [Metric.Sample] {
        let states = filter(\.status.isOnAir).flatMap { stream in
            stream.plan.outputs.map { stream.pushReport(of: $0).state }
        }
        return PushReport.State.allCases.filter { $0 != .stopped }.map { state in
            Metric.Sample(
                labels: [Metric.Label("state", state.rawValue)],
                value: Double(states.count { $0 == state }))
        }
    }
}
