import MediaKernel

/// The received bit rate, in bits per second over the last half second of the receiver's clock.
struct AcknowledgedRate: Sendable {
    static let window: Duration = .milliseconds(500)
    static let burstWindow: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(150)
    /// Arrivals kept; 500 ms of 100 Mbit/s are about 5200.
    static let arrivalsMaximum = 8192

    private var arrivals: [(time: Duration, bytes: Int)] = []
    private var first = 0
    private var bytes = 0
    private var began: Duration?
    private var newest: Duration = .zero

    mutating func received(bytes count: Int, arrival: Duration) {
        // Slightly late packets are in the window; an earlier time means a different clock.
        if began != nil, arrival < newest - Self.window { self = Self() }
        if began == nil { (began, newest) = (arrival, arrival) }
        newest = max(newest, arrival)
        arrivals.append((arrival, count))
        bytes += count
        while first < arrivals.count - 1,
            arrivals[first].time <= newest - Self.window
                || arrivals.count - first > Self.arrivalsMaximum
        {
            bytes -= arrivals[first].bytes
            first += 1
        }
        if first > 512, first * 2 > arrivals.count {
            arrivals.removeFirst(first)
            first = 0
        }
    }

    /// The highest recent rate over any span within `burstWindow`: the rate before it may have been
    /// less than the path's capacity. The packet at the start of a span does not count, because it
    /// filled the time before.
    var burstBitsPerSecond: Int {
        var highest = 0.0
        var bytes = 0
        for arrival in arrivals[first...].reversed() {
            let span = newest - arrival.time
            guard span <= Self.burstWindow.upperBound else { break }
            if span >= Self.burstWindow.lowerBound {
                highest = max(highest, Double(bytes * 8) / span.inSeconds)
            }
            bytes += arrival.bytes
        }
        return Int(highest)
    }

    /// Nil until a whole window has been seen.
    var bitsPerSecond: Int? {
        guard let began, newest - began >= Self.window else { return nil }
        return Int(Double(bytes * 8) / Self.window.inSeconds)
    }
}
