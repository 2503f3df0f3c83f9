import ControlAPI
import Jibri

/// Takes the requests of Jibri's HTTP interface.
struct JibriReception: RecorderControl {
    let desk: JibriDesk
    let watch: JibriWatch
    let exit: JibriExit
    /// Whether the operator has turned Jibri's metrics on.
    let showsMetrics: Bool

    func health() async -> [UInt8] {
        StableJSON.bytes(await watch.health)
    }

    func metrics() async -> String? {
        showsMetrics ? await desk.figures.text(await watch.health) : nil
    }

    func leave(_ leaving: RecorderLeaving) {
        exit.take(leaving)
        Task { await desk.leave(leaving) }
    }

    /// The program is to end at once, and may be started again.
    func stop() {
        exit.hurry()
        Task { await desk.leave(.now) }
    }
}
