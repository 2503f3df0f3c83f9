import ControlAPI
import Glibc

/// How much room there is where streams and recordings are written: a stream whose disk is full
/// fails.
struct DiskMetrics: MetricsSource {
    /// By the names of their settings.
    let directories: [(setting: String, path: String)]

    func metrics() async -> [Metric] {
        let samples = directories.compactMap { setting, path -> Metric.Sample? in
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { return nil }
            return Metric.Sample(
                labels: [Metric.Label("directory", setting)],
                value: Double(status.f_bavail) * Double(status.f_frsize))
        }
        return [
            Metric(
                .gauge, "roomcast_disk_free_bytes",
                help: "Room that is left on the disk of a directory, by its setting.",
                samples: samples)
        ]
    }
}
