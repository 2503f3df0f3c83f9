import Foundation
import MediaKernel

/// Detects processes that the kernel killed for lack of memory. The kernel only counts them; a
/// process that dies of SIGKILL at that time is assumed to be one of them.
struct MemoryKills {
    /// The time from the kernel's decision to the end of a large process on a busy machine.
    static let window: Duration = .seconds(10)
    /// The interval between two readings of the counter.
    static let interval: Duration = .seconds(1)

    private var count: Int?
    private var lookedAt: Instant?
    /// Kills that are not yet matched with a death.
    private var unclaimed: [Instant] = []

    /// Whether the next reading is due.
    func isDue(at now: Instant) -> Bool { lookedAt.map { now - $0 >= Self.interval } ?? true }

    /// - Parameter count: the total number of kills; nil if the kernel does not report it.
    mutating func note(_ count: Int?, at now: Instant) {
        lookedAt = now
        unclaimed.removeAll { now - $0 > Self.window }
        guard let count else { return }
        // More kills cannot matter for this machine's programs.
        let new = min(max(0, count - (self.count ?? count)), 1000)
        unclaimed += Array(repeating: now, count: new)
        self.count = count
    }

    /// Whether a process that has just died of SIGKILL was among the counted kills.
    mutating func claim(_ count: Int?, at now: Instant) -> Bool {
        note(count, at: now)
        guard !unclaimed.isEmpty else { return false }
        unclaimed.removeFirst()
        return true
    }
}

extension MemoryKills {
    /// The kernel's counter: of our own control group, or of the machine if groups have none. The
    /// kernel's cgroup-v2.rst, cgroup-v1/memory.rst and proc_vmstat(5).
    static func counted() -> Int? {
        let groups = text("/proc/self/cgroup") ?? ""
        return paths(groups).lazy.compactMap { text($0).flatMap(count) }.first
    }

    /// The paths of the counters, from `/proc/self/cgroup` (cgroups(7)).
    static func paths(_ groups: String) -> [String] {
        let lines = groups.split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }.filter { $0.count == 3 }
        func group(_ line: [Substring]) -> Substring { line[2] == "/" ? "" : line[2] }
        let unified = lines.filter { $0[0] == "0" && $0[1].isEmpty }
            .map { "/sys/fs/cgroup\(group($0))/memory.events" }
        let legacy = lines.filter { $0[1].split(separator: ",").contains("memory") }
            .map { "/sys/fs/cgroup/memory\(group($0))/memory.oom_control" }
        return unified + legacy + ["/proc/vmstat"]
    }

    static func count(_ text: String) -> Int? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2, fields[0] == "oom_kill" { return Int(fields[1]) }
        }
        return nil
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
