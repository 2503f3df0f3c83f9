import MediaKernel

/// Detects that the machine's wall clock was set while a stream runs. Segments' dates continue from
/// the wall clock at the stream's start, so that they stay even; compared with other clocks they
/// are wrong by the step.
struct WallClockWatch {
    /// Steps up to this are not reported: dates need not be that exact.
    static let tolerance: Duration = .seconds(1)

    /// The wall clock at the monotonic clock's zero, as of the last step.
    private var origin: UnixTime?

    /// - Returns: by how much the clock was set since the last reported step; positive to a later
    ///   time. Nil if it was not set.
    mutating func observe(wall: UnixTime, at now: Instant) -> Duration? {
        let current = wall - (now - .zero)
        guard let origin else {
            self.origin = current
            return nil
        }
        let step = current - origin
        guard step > Self.tolerance || step < .zero - Self.tolerance else { return nil }
        self.origin = current
        return step
    }
}
