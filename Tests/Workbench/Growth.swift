import Glibc

/// How a cost grows with its input: the ratio of two measurements in one run, of this thread's own
/// CPU time, so that other work on the machine does not count.
public enum Growth {
    /// Linear growth is 4, quadratic 16; caches and allocations add a little.
    public static let tolerated = 9.0

    /// - Parameter size: enough for some tens of microseconds.
    /// - Returns: how much longer four times the size takes.
    public static func of<Input>(
        _ size: Int, _ input: (Int) throws -> Input, body: (Input) throws -> Void
    ) rethrows -> Double {
        let (small, large) = (try input(size), try input(4 * size))
        var best = (small: Double.infinity, large: Double.infinity)
        // Alternately, so that a change of the clock's rate affects both.
        for _ in 0..<9 {
            best.small = min(best.small, try cost { try body(small) })
            best.large = min(best.large, try cost { try body(large) })
        }
        return best.large / max(best.small, 1e-6)
    }

    /// In seconds.
    private static func cost(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
