import MediaKernel
import Streams

/// Counters of all streams and recordings since the server's start.
struct StreamCounts {
    /// From the request to the first segment of every layer.
    var starts = (count: 0, total: Duration.zero)
    /// Bots that replaced a dead one.
    var botRestarts = 0
    var botWarnings = 0
    /// Steps up and down in adapting pictures to the CPU.
    var adaptations = 0
    var completed = 0
    var failed = 0
    /// Starts refused because of too many streams or too little CPU.
    var refused = 0

    mutating func ran(after duration: Duration) {
        starts.count += 1
        starts.total += duration
    }

    mutating func changed(to status: LiveStream.Status) {
        switch status {
        case .completed: completed += 1
        case .failed: failed += 1
        case .starting, .running, .stopping, .postProcessing: break
        }
    }

    mutating func refused(_ error: LiveStreamError) {
        switch error {
        case .tooManyStreams, .tooManyVariants, .insufficientCPU, .tooManyPages,
            .insufficientMemory:
            refused += 1
        default: break
        }
    }
}
