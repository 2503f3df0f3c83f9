import Clocks
import Glibc
import MediaKernel
import Synchronization

/// The processes of a script that was asked to end: its own end says nothing of those that it has
/// started, which may ignore the request.
final class ScriptGroup: Sendable {
    private static let interval = Duration.milliseconds(20)

    /// Of its session's leader; 0 before it runs.
    private let leader = Mutex<pid_t>(0)

    func begin(_ process: pid_t) { leader.withLock { $0 = process } }

    /// Waits until none is left, and kills those that are still there then.
    ///
    /// As long as one is left, no other process gets the leader's number.
    func end(within grace: Duration) async {
        let group = leader.withLock { $0 }
        guard group > 0 else { return }
        let deadline = MonotonicClock.now + grace
        // Who waits has been cancelled, too.
        await Task.detached {
            while kill(-group, 0) == 0 {
                guard MonotonicClock.now < deadline else {
                    kill(-group, SIGKILL)
                    return
                }
                try? await Task.sleep(for: Self.interval)
            }
        }.value
    }
}
