import MediaKernel

/// Notices that the machine's wall clock was set while a stream runs. Segments' dates count on from
/// the wall clock at the stream's beginning, so that they stay even; whoever compares them with other
/// clocks finds them wrong by the step.
struct WallClockWatch {
    /// Steps up to this are not told: no date is read so exactly.
    static let tolerance: Duration = .seconds(1)

    /// Nanoseconds since 1970 at the monotonic clock's zero, as of the last step.
    private var offset: Int64?

    /// - Parameter wall: nanoseconds since 1970.
    /// - Returns: by how much the clock was set since the last step that was told: above zero to a
    ///   later time. Nil while it was not.
    mutating func observe(wall: Int64, at now: Instant) -> Duration? {
        let current = wall - now.nanoseconds
        guard let offset else {
            self.offset = current
            return nil
        }
        let step = Duration.nanoseconds(current - offset)
        guard step > Self.tolerance || step < .zero - Self.tolerance else { return nil }
        self.offset = current
        return step
    }
}
