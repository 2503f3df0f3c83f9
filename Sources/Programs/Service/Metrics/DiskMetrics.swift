import ControlAPI
import Glibc

/// The free space on the disks of streams and recordings: a stream on a full disk fails.
struct DiskMetrics: MetricsSource {
    /// Keyed by the names of the settings.
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
