import Foundation
import Glibc
import MediaKernel
import Pipeline
import Stage
import Synchronization

/// What a bot tells its parent: one JSON object a line on standard output.
enum BotEvent {
    case joined
    case running(firstSegmentMilliseconds: Int64)
    case tiles([PlacedTile])
    case segment(layer: Int, index: Int, bytes: Int)
    case warning(String)
    /// How much of the picture is left out for want of CPU; pictures a second that are made.
    case reduction(Reduction, frameRate: Double)
    case stopped(reason: String, PipelineSummary, frameRate: Int)
    case failed(reason: String)

    var object: [String: Any] {
        switch self {
        case .joined:
            return ["event": "joined"]
        case .running(let milliseconds):
            return ["event": "running", "first_segment_ms": milliseconds]
        case .tiles(let tiles):
            return ["event": "tiles", "tiles": tiles.map(Self.object(of:))]
        case .segment(let layer, let index, let bytes):
            return ["event": "segment", "layer": layer, "index": index, "bytes": bytes]
        case .warning(let what):
            return ["event": "warning", "message": what]
        case .reduction(let reduction, let frameRate):
            return [
                "event": "reduction", "frame_rate": frameRate,
                "layers_thinned": reduction.layersThinned,
            ]
        case .stopped(let reason, let summary, let frameRate):
            let usage = ProcessUsage.current
            return [
                "event": "stopped", "reason": reason, "segments": summary.segments,
                "duration": Double(summary.frames) / Double(frameRate),
                "frames": summary.frames, "frames_dropped": summary.framesDropped,
                "cpu_seconds": usage.cpuSeconds, "rss_mb": usage.peakMegabytes,
            ]
        case .failed(let reason):
            return ["event": "failed", "reason": reason]
        }
    }

    private static func object(of tile: PlacedTile) -> [String: Any] {
        [
            "peer": tile.name, "peer_id": tile.peer.rawValue, "x": tile.rectangle.x,
            "y": tile.rectangle.y, "width": tile.rectangle.width,
            "height": tile.rectangle.height,
        ]
    }
}

/// Writes events whole, one at a time, whichever task has one.
final class BotEventWriter: Sendable {
    private let lock = Mutex<Void>(())

    func write(_ event: BotEvent) {
        guard
            var line = try? JSONSerialization.data(
                withJSONObject: event.object, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return }
        line.append(10)
        lock.withLock { _ in
            // A parent that is gone reads nothing; the end of standard input tells us so.
            line.withUnsafeBytes { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
    }
}

/// What the kernel says this process has used.
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
