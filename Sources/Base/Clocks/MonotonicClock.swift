import Glibc
public import MediaKernel

/// Reads the machine's clock. Only shells call this; cores get the result as an argument.
public enum MonotonicClock {
    /// Time since boot that no adjustment of the wall clock moves.
    public static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
