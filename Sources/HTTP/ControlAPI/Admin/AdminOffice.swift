import MediaKernel
import Streams

/// The operator's page: its login, its data, and the figures of the last hour.
struct AdminOffice: Sendable {
    let control: any AdminControl
    let door: AdminDoor
    let history = FigureHistory()

    init(control: any AdminControl, endpoints: Endpoints) {
        self.control = control
        door = AdminDoor(control: control, endpoints: endpoints)
    }

    /// - Parameters:
    ///   - viewers: of all streams.
    ///   - peers: in all rooms.
    func note(viewers: Int, peers: Int, at time: UnixTime) async {
        let machine = await control.machine()
        let streams = await control.streams().filter(\.stream.status.isOnAir)
        let memory = machine.memory.flatMap { total in
            machine.memoryFree.map { total > 0 ? 1 - Double($0) / Double(total) : 0 }
        }
        history.add(
            Figures(
                time: time, streams: streams.count, viewers: viewers, peers: peers,
                busy: machine.busyCores.map { min(1, $0 / max(machine.cores, 0.01)) },
                memory: memory,
                bitrate: streams.reduce(0) { $0 + $1.load.bitrates.reduce(0) { $0 + ($1 ?? 0) } }))
    }
}
