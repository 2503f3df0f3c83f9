import ChildProcesses
import MediaKernel
import Synchronization

/// How far some jobs are together. Tells steps that show, and now and then that it goes on, since
/// the server takes a finisher for stuck that says nothing.
final class ProgressMeter: Sendable {
    /// In thousandths.
    private static let step = 10
    private static let silenceMaximum: Duration = .seconds(10)

    private struct State {
        /// In thousandths, of each job.
        var done: [Int] = []
        var told = 0
        var toldAt: UnixTime
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> UnixTime
    private let report: @Sendable (FinisherReport) -> Void

    init(
        now: @escaping @Sendable () -> UnixTime,
        report: @escaping @Sendable (FinisherReport) -> Void
    ) {
        state = Mutex(State(toldAt: now()))
        self.now = now
        self.report = report
    }

    /// So many jobs begin. What is told never goes back, also when they are done once more.
    func begin(jobs: Int) { state.withLock { $0.done = Array(repeating: 0, count: jobs) } }

    func reached(_ done: Int, of all: Int, job: Int) {
        state.withLock { $0.done[job] = done * 1000 / max(1, all) }
        goesOn()
    }

    /// Something was done, in a job or beside them.
    func goesOn() {
        // One job after the other, from the look at the clock to the report: or one would find the
        // other's later time and take it for a clock that was set back, or tell a step behind the next.
        state.withLock { state in
            let time = now()
            let permille = state.done.reduce(0, +) / max(1, state.done.count)
            // The clock is the wall's, which may be set back.
            let isSilent = !(state.toldAt..<state.toldAt + Self.silenceMaximum).contains(time)
            guard permille >= state.told + Self.step || isSilent else { return }
            state.told = max(permille, state.told)
            state.toldAt = time
            report(.progress(state.told))
        }
    }
}
