import Glibc

/// This process' resource usage, as reported by the kernel.
struct ProcessUsage {
    var cpuSeconds: Double
    /// Largest resident size so far, in MB of 1,000,000 bytes.
    var peakMegabytes: Double

    static var current: ProcessUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) / 1e6
        }
        return ProcessUsage(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            peakMegabytes: Double(usage.ru_maxrss) * 1024 / 1e6)
    }
}
