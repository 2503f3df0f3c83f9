import ControlAPI
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
        state.withLock { $0.status = leaving == .toRestart ? 0 : Self.notAgain }
        if leaving == .now { hurry() }
    }

    /// The program is to end at once.
    func hurry() {
        state.withLock { $0.isHasty = true }
        haste.ring()
    }

    /// Waits for a request to end at once.
    func hurried() async {
        while !state.withLock({ $0.isHasty }), !Task.isCancelled {
            await haste.wait(atMost: .seconds(3600))
        }
    }
}
