import ControlAPI

/// Takes the requests of Jibri's HTTP interface.
struct JibriReception: RecorderControl {
    let desk: JibriDesk
    let watch: JibriWatch
    let exit: JibriExit

    func health() async -> [UInt8] {
        StableJSON.bytes(await watch.health)
    }

    func leave(_ leaving: RecorderLeaving) {
        exit.take(leaving)
        Task { await desk.leave(leaving == .now ? .now : .whenIdle) }
    }

    /// The program is to end at once, and may be started again.
    func stop() {
        exit.hurry()
        Task { await desk.leave(.now) }
    }
}
