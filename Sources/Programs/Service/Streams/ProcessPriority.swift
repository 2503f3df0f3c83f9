import CProcesses
import Foundation
import Glibc

/// The scheduling priority of processes. It can only be lowered, since raising it again needs
/// privileges (setpriority(2)).
public enum ProcessPriority {
    /// Below live streams, since a stream that has ended has time.
    public static let finisher: Int32 = 5
    private static let lowest: Int32 = 19

    /// Lowers the priority of this process.
    public static func lower(to niceness: Int32) {
        let process = __priority_which_t(PRIO_PROCESS.rawValue)
        setpriority(process, 0, max(niceness, getpriority(process, 0)))
    }

    /// Limits a process to idle CPU and disk time. On Linux this applies to each thread; later
    /// threads inherit it.
    static func giveWay(_ process: pid_t) {
        var done: Set<String> = []
        // New threads may start meanwhile.
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
