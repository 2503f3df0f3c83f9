/// A media timestamp: `ticks` of a clock that runs at `timescale` ticks a second.
public struct MediaTime: Hashable, Sendable, CustomStringConvertible {
    public var ticks: Int64
    /// Ticks per second, above zero.
    public var timescale: Int32

    public init(ticks: Int64, timescale: Int32) {
        precondition(timescale > 0, "a media clock runs forward")
        self.ticks = ticks
        self.timescale = timescale
    }

    public var seconds: Double { Double(ticks) / Double(timescale) }

    /// The same time on another clock, rounded to the nearest tick, halves away from zero.
    public func rescaled(to timescale: Int32) -> MediaTime {
        let product = ticks.multipliedFullWidth(by: Int64(timescale))
        let (quotient, remainder) = Int64(self.timescale).dividingFullWidth(product)
        let doubled = abs(remainder) * 2
        let away: Int64 = doubled >= Int64(self.timescale) ? (ticks < 0 ? -1 : 1) : 0
        return MediaTime(ticks: quotient + away, timescale: timescale)
    }

    public var description: String { "\(ticks)/\(timescale)" }
}
