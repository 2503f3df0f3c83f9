public import ControlAPI
import MediaKernel
import Rooms
import Streams

extension RoomDirectory: MetricsSource {
    /// Uses the known outlines, and waits for no room.
    public func metrics() async -> [Metric] {
        let occupied = occupancies.filter { !$0.value.isEmpty }
        let fullest = occupied.sorted { ($1.value.peers, $0.key) < ($0.value.peers, $1.key) }
            .prefix(Metric.sampledMaximum)
        return [
            Metric(
                .gauge, "roomcast_rooms", help: "Rooms that somebody is in.",
                Double(occupied.count)),
            Metric(
                .gauge, "roomcast_peers", help: "Peers in all rooms, recorders left out.",
                Double(occupied.values.reduce(0) { $0 + $1.peers })),
            Metric(
                .gauge, "roomcast_publishers", help: "Peers that publish at least one track.",
                Double(occupied.values.reduce(0) { $0 + $1.publishers })),
            Metric(
                .gauge, "roomcast_room_peers",
                help: "Peers in the fullest rooms, recorders left out.",
                samples: fullest.map { room, occupancy in
                    Metric.Sample(
                        labels: [Metric.Label("room", room.rawValue)],
                        value: Double(occupancy.peers))
                }),
        ]
    }
}
