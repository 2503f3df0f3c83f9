import ChildProcesses
import MediaKernel
import Synchronization

/// The common progress of some jobs. Reports visible steps, and otherwise a sign of life now and
/// then, since the server takes a silent finisher for stuck.
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

    /// Starts this many jobs. The reported progress never decreases, even when jobs are done again.
    func begin(jobs: Int) { state.withLock { $0.done = Array(repeating: 0, count: jobs) } }

    func reached(_ done: Int, of all: Int, job: Int) {
        state.withLock { $0.done[job] = done * 1000 / max(1, all) }
        goesOn()
    }

    /// A job, or other work, has made progress.
    func goesOn() {
        // Locked from reading the clock to the report: otherwise one job could see another's later
        // time and take it for a clock that was set back, or report a step after the next.
        state.withLock { state in
            let time = now()
            let permille = state.done.reduce(0, +) / max(1, state.done.count)
            // The wall clock may be set back.
            let isSilent = !(state.toldAt..<state.toldAt + Self.silenceMaximum).contains(time)
            guard permille >= state.told + Self.step || isSilent else { return }
            state.told = max(permille, state.told)
            state.toldAt = time
            report(.progress(state.told))
        }
    }
}
