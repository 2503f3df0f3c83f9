public import ControlAPI
import HLS
import MediaKernel
import Streams

extension StreamService: MetricsSource {
    public func metrics() -> [Metric] {
        let counts = book.counts
        let streams = book.unfinished.compactMap { book[$0] }
        let onAir = streams.filter(\.status.isOnAir).sorted { $0.id < $1.id }
            .prefix(Metric.sampledMaximum)
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
                .gauge, "roomcast_stream_frame_rate",
                help: "Frames per second of the best layer of each stream on air.",
                samples: onAir.samples { $0.plan.frameRate == nil ? nil : $0.frameRateNow }),
            Metric(
                .gauge, "roomcast_stream_start_time_seconds",
                help: "When the first segments of each stream on air were published.",
                samples: onAir.samples { $0.startedAt.map { Double($0.nanoseconds) / 1e9 } }),
            Metric(
                .counter, "roomcast_stream_bot_restarts_total",
                help: "Bots of each stream on air that took the place of one that had died.",
                samples: onAir.samples { Double($0.health.restarts) }),
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

extension ArraySlice<LiveStream> {
    /// One for each stream.
    ///
    /// - Parameter value: nil for none.
    fileprivate func samples(_ value: (LiveStream) -> Double?) -> [Metric.Sample] {
        compactMap { stream in
            value(stream).map {
                Metric.Sample(
                    labels: [
                        Metric.Label("room", stream.room.rawValue),
                        Metric.Label("stream", stream.id.rawValue),
                    ], value: $0)
            }
        }
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
