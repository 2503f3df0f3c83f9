import Glibc
public import MediaKernel

/// Reads the machine's clock. Only shells call this; cores get the result as an argument.
public enum MonotonicClock {
    /// Time since boot, which adjustments of the wall clock do not affect.
    public static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
