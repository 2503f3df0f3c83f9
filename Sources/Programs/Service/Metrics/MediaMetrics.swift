import ControlAPI
import MediaServer

/// The metrics of the media plane.
struct MediaMetrics: MetricsSource {
    let media: MediaServer

    func metrics() async -> [Metric] {
        let figures = await media.figures()
        func directions(_ received: Int, _ sent: Int) -> [Metric.Sample] {
            [("received", received), ("sent", sent)].map { direction, count in
                Metric.Sample(
                    labels: [Metric.Label("direction", direction)], value: Double(count))
            }
        }
        return [
            Metric(
                .gauge, "roomcast_media_connections",
                help: "WebRTC connections of clients, who have up to two each.",
                Double(figures.connections)),
            Metric(
                .counter, "roomcast_media_datagrams_total",
                help: "Datagrams on the media port, over UDP and TCP.",
                samples: directions(figures.receivedDatagrams, figures.sentDatagrams)),
            Metric(
                .counter, "roomcast_media_bytes_total",
                help: "Bytes of these datagrams, without the headers of UDP and TCP.",
                samples: directions(figures.receivedBytes, figures.sentBytes)),
            Metric(
                .counter, "roomcast_media_stray_datagrams_total",
                help: "Datagrams received that belong to no connection.",
                Double(figures.strayDatagrams)),
            Metric(
                .counter, "roomcast_media_refused_addresses_total",
                help:
                    "Connectivity checks that named another connection's address as their source.",
                Double(figures.refusedAddresses)),
            Metric(
                .counter, "roomcast_media_excess_packets_total",
                help: "Packets left out of tracks that send more than their role allows for.",
                Double(figures.excessPackets)),
            Metric(
                .counter, "roomcast_media_unsent_packets_total",
                help: "Packets that could not be encrypted, and so were not sent.",
                Double(figures.unsentPackets)),
        ]
    }
}
