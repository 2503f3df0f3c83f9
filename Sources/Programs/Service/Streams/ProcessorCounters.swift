import Foundation

/// The kernel's counters of the processors that this process may use.
struct ProcessorCounters: Hashable, Sendable {
    /// A control group with limited CPU: a container, or a service with a quota.
    struct Group: Hashable, Sendable {
        /// The CPU seconds used by all processes of the group.
        var used: Double
        /// The CPU seconds that the group may use per second.
        var cores: Double
    }

    /// The total idle seconds of all processors since the boot.
    var idle: Double
    /// Nil without a quota. Quotas of parent groups are ignored.
    var group: Group?
}

extension ProcessorCounters {
    /// The current values; nil if the kernel does not provide them.
    static func current() -> ProcessorCounters? {
        guard let stat = text("/proc/stat"), let status = text("/proc/self/status"),
            let idle = idleSeconds(
                stat: stat, status: status, ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))))
        else { return nil }
        let path = text("/proc/self/cgroup").flatMap(groupPath) ?? "/"
        let group = "/sys/fs/cgroup" + (path == "/" ? "" : path)
        return ProcessorCounters(
            idle: idle,
            group: text("\(group)/cpu.max").flatMap { maximum in
                text("\(group)/cpu.stat").flatMap { Self.group(maximum: maximum, stat: $0) }
            })
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }

    /// The idle time of the processors allowed in `/proc/self/status`, from `/proc/stat`: proc(5).
    /// Waiting for a disk counts as idle.
    static func idleSeconds(stat: String, status: String, ticksPerSecond: Double) -> Double? {
        guard let allowed = value(of: "Cpus_allowed_list:", in: status).flatMap(processors) else {
            return nil
        }
        var ticks = 0.0
        var isKnown = false
        for line in stat.split(separator: "\n") where line.hasPrefix("cpu") {
            let fields = line.split(separator: " ")
            // "cpu" alone is the sum.
            guard let number = Int(fields[0].dropFirst(3)),
                allowed.contains(where: { $0 ~= number }), fields.count > 5,
                let idle = Double(fields[4]), let waiting = Double(fields[5])
            else { continue }
            ticks += idle + waiting
            isKnown = true
        }
        return isKnown ? ticks / ticksPerSecond : nil
    }

    /// A list such as `0-3,8`.
    static func processors(_ list: Substring) -> [ClosedRange<Int>]? {
        var ranges: [ClosedRange<Int>] = []
        for part in list.split(separator: ",") {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
                Int($0)
            }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2,
                first <= last
            else { return nil }
            ranges.append(first...last)
        }
        return ranges.isEmpty ? nil : ranges
    }

    /// Our own group of the unified hierarchy (cgroups(7)).
    static func groupPath(_ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
    }

    /// From `cpu.max` and `cpu.stat` (the kernel's cgroup-v2.rst); nil without a quota.
    static func group(maximum: String, stat: String) -> Group? {
        let fields = maximum.split(whereSeparator: \.isWhitespace).map { Double($0) }
        guard fields.count == 2, let quota = fields[0], let period = fields[1], period > 0,
            let used = value(of: "usage_usec", in: stat).flatMap({ Double($0) })
        else { return nil }
        return Group(used: used / 1e6, cores: quota / period)
    }

    private static func value(of name: String, in text: String) -> Substring? {
        text.split(separator: "\n").first { $0.hasPrefix(name) }?
            .split(whereSeparator: \.isWhitespace).dropFirst().first
    }
}
