import ControlAPI
import Foundation
import Glibc

/// The process's use of resources, with the names that Prometheus' client libraries use.
struct ProcessMetrics: MetricsSource {
    private let startedAt = Date().timeIntervalSince1970

    func metrics() async -> [Metric] {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return [
            Metric(
                .counter, "process_cpu_seconds_total",
                help: "CPU time of the server; bots and finishers are processes of their own.",
                Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)),
            Metric(
                .gauge, "process_resident_memory_bytes", help: "Memory of the server.",
                Double(Self.residentBytes)),
            Metric(
                .gauge, "process_open_fds", help: "Open file descriptors.",
                Double(Self.descriptors)),
            Metric(
                .gauge, "process_max_fds", help: "File descriptors that may be open.",
                Double(limit.rlim_cur)),
            Metric(
                .gauge, "process_start_time_seconds", help: "When the server started, Unix time.",
                startedAt),
        ]
    }

    /// Of this process.
    static var residentBytes: Int { residentPages * sysconf(Int32(_SC_PAGESIZE)) }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    /// From `/proc/self/statm`, see proc(5).
    private static var residentPages: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii)) ?? ""
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]) ?? 0 : 0
    }

    private static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}
