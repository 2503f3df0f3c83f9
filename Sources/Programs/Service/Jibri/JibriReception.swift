import ControlAPI
import Foundation
import Synchronization

/// How a Jibri's part is to end, and has.
final class JibriExit: Sendable {
    /// By which an operator's unit knows that the program is not to be started again.
    private static let notAgain: Int32 = 255

    private struct State {
        var status: Int32 = 0
        var isHasty = false
    }

    private let state = Mutex(State())
    private let haste = Alarm()

    var status: Int32 { state.withLock { $0.status } }

    func take(_ leaving: RecorderLeaving) {
        state.withLock { state in
            state.status = leaving == .toRestart ? 0 : Self.notAgain
            if leaving == .now { state.isHasty = true }
        }
        if leaving == .now { haste.ring() }
    }

    /// The program was told to end by a signal.
    func hurry() {
        state.withLock { $0.isHasty = true }
        haste.ring()
    }

    /// Returns when the time is over that is left after a request to end at once.
    func overdue(_ time: Duration) async {
        while !state.withLock({ $0.isHasty }) {
            await haste.wait(atMost: .seconds(3600))
            if Task.isCancelled { return }
        }
        try? await Task.sleep(for: time)
    }
}

/// Takes the requests of Jibri's HTTP interface.
struct JibriReception: RecorderControl {
    let desk: JibriDesk
    let watch: JibriWatch
    let exit: JibriExit

    func health() async -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(await watch.health)).map(Array.init) ?? []
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
