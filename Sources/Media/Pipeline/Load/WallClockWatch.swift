import MediaKernel

/// Notices that the machine's wall clock was set while a stream runs. Segments' dates count on from
/// the wall clock at the stream's beginning, so that they stay even; whoever compares them with other
/// clocks finds them wrong by the step.
struct WallClockWatch {
    /// Steps up to this are not told: no date is read so exactly.
    static let tolerance: Duration = .seconds(1)

    /// What the wall clock showed at the monotonic clock's zero, as of the last step.
    private var origin: UnixTime?

    /// - Returns: by how much the clock was set since the last step that was told: above zero to a
    ///   later time. Nil while it was not.
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
