import Glibc
public import MediaKernel

extension UnixTime {
    /// Reads the machine's wall clock. Only shells call this; cores get the result as an argument.
    public static var now: UnixTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UnixTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
