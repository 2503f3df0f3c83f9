import CProcesses
import Foundation
import Glibc

/// How far a process stands back behind others. It can only be lowered: to raise it again is not
/// for everybody (setpriority(2)).
public enum ProcessPriority {
    /// Behind a live stream where both want the CPU: a stream that has ended has time.
    public static let finisher: Int32 = 5
    private static let lowest: Int32 = 19

    /// This process, from now on.
    public static func lower(to niceness: Int32) {
        let process = __priority_which_t(PRIO_PROCESS.rawValue)
        setpriority(process, 0, max(niceness, getpriority(process, 0)))
    }

    /// Leaves a process what CPU and disk others do not want: on Linux each of its threads for
    /// itself, of which those that come later inherit it.
    static func giveWay(_ process: pid_t) {
        var done: Set<String> = []
        // A thread may begin meanwhile.
        while let threads = try? FileManager.default.contentsOfDirectory(
            atPath: "/proc/\(process)/task"), !done.isSuperset(of: threads)
        {
            for thread in threads {
                done.insert(thread)
                guard let id = Int32(thread) else { continue }
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(id), lowest)
                _ = roomcast_set_idle_io(id)
            }
        }
    }
}
