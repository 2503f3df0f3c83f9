public import ControlAPI
import Streams

extension RoomDirectory: MetricsSource {
    /// Uses the known outlines, and waits for no room.
    public func metrics() async -> [Metric] {
        let occupancies = self.occupancies
        return [
            Metric(
                .gauge, "roomcast_rooms", help: "Rooms that somebody is in.",
                Double(occupancies.count { !$0.isEmpty })),
            Metric(
                .gauge, "roomcast_peers", help: "Peers in all rooms, recorders left out.",
                Double(occupancies.reduce(0) { $0 + $1.peers })),
            Metric(
                .gauge, "roomcast_publishers", help: "Peers that publish at least one track.",
                Double(occupancies.reduce(0) { $0 + $1.publishers })),
        ]
    }
}
