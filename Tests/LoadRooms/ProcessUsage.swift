import Foundation

/// The kernel's counters for a process.
enum ProcessUsage {
    /// CPU seconds so far, of all of its threads. proc(5), `stat`, fields 14 and 15.
    static func cpuSeconds(_ pid: Int32) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        // After the name, which is in parentheses and may hold anything.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13])
        else { throw CocoaError(.fileReadCorruptFile) }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Datagrams to receivers in this network namespace that were dropped because their buffers
    /// were full. proc(5), `net/snmp`.
    static func droppedDatagrams() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/net/snmp", encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Udp:") }
            .map { $0.split(separator: " ") }
        guard lines.count == 2, let column = lines[0].firstIndex(of: "RcvbufErrors"),
            lines[1].indices.contains(column), let count = Int(lines[1][column])
        else { throw CocoaError(.fileReadCorruptFile) }
        return count
    }

    /// The largest resident size so far, in MB of 1,000,000 bytes.
    static func peakMegabytes(_ pid: Int32) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        for line in text.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            return Double(line.split(separator: " ")[1]).map { $0 * 1024 / 1e6 } ?? 0
        }
        return 0
    }
}
