import MediaKernel

/// Detects from arrival times whether a queue on the path is growing: the delay-based detector of
/// draft-ietf-rmcat-gcc-02 sect. 5, with a line fitted to the delay instead of a Kalman filter.
///
/// Packets are compared in groups, since a pacer or a radio link sends several at once.
struct DelayTrend: Sendable {
    enum Usage: Hashable, Sendable { case normal, overuse, underuse }

    /// Packets sent within this time are one group. GCC sect. 5.2.
    static let burst: Duration = .milliseconds(5)
    /// Groups in the fitted line.
    static let windowMaximum = 20
    /// A longer pause says nothing about a queue; the detector restarts.
    static let pauseMaximum: Duration = .seconds(2)
    static let smoothing = 0.9
    static let gain = 4.0
    static let deltasMaximum = 60.0
    /// How long the trend must stay over the threshold.
    static let overuseTime = 10.0

    private struct Group: Sendable {
        var firstSent: Instant
        var lastSent: Instant
        var firstArrival: Duration
        var lastArrival: Duration
    }

    private var current: Group?
    private var previous: Group?
    /// Milliseconds: arrival since the first group, smoothed sum of delay changes.
    private var window: [(time: Double, delay: Double)] = []
    private var firstArrival: Duration?
    private var accumulated = 0.0
    private var smoothed = 0.0
    private var deltas = 0.0
    private var threshold = Threshold()
    private var timeOver: Double?
    private var groupsOver = 0
    private var previousTrend = 0.0
    private(set) var usage = Usage.normal
    /// The smoothed delay, in ms, from which a queue began to grow; nil while none has.
    private var floor: Double?

    /// The delay that a queue has added since it began to grow; nil while none grows, and after it
    /// has drained.
    var queue: Duration? { floor.map { .microseconds(Int64((smoothed - $0) * 1000)) } }

    /// The queue, if there is one, counts as part of the path from now on.
    mutating func acceptQueue() { floor = nil }

    /// Takes a packet that arrived, in the order of sending.
    mutating func received(sent: Instant, arrival: Duration) {
        guard var group = current else {
            current = Group(
                firstSent: sent, lastSent: sent, firstArrival: arrival, lastArrival: arrival)
            return
        }
        guard sent >= group.firstSent else { return }
        if sent - group.lastSent > Self.pauseMaximum {
            let threshold = threshold
            self = DelayTrend()
            self.threshold = threshold
            return received(sent: sent, arrival: arrival)
        }
        if sent - group.firstSent <= Self.burst || arrivesWithin(group, sent, arrival) {
            group.lastSent = max(group.lastSent, sent)
            group.lastArrival = max(group.lastArrival, arrival)
            current = group
            return
        }
        if let previous { compare(group, with: previous) }
        previous = group
        current = Group(
            firstSent: sent, lastSent: sent, firstArrival: arrival, lastArrival: arrival)
    }

    /// Packets that a channel held back and released together belong together. GCC sect. 5.2.
    private func arrivesWithin(_ group: Group, _ sent: Instant, _ arrival: Duration) -> Bool {
        let arrivalDelta = arrival - group.lastArrival
        let propagationDelta = arrivalDelta - (sent - group.lastSent)
        return propagationDelta < .zero && arrivalDelta <= Self.burst
            && arrival - group.firstArrival < .milliseconds(100)
    }

    private mutating func compare(_ group: Group, with previous: Group) {
        let sentDelta = (group.lastSent - previous.lastSent).inSeconds * 1000
        let arrivalDelta = (group.lastArrival - previous.lastArrival).inSeconds * 1000
        // Reordering on the way: the groups cannot be compared.
        guard arrivalDelta >= 0 else { return }
        let origin = firstArrival ?? group.lastArrival
        firstArrival = origin
        deltas = min(deltas + 1, Self.deltasMaximum)
        accumulated += arrivalDelta - sentDelta
        smoothed = Self.smoothing * smoothed + (1 - Self.smoothing) * accumulated
        if window.count == Self.windowMaximum { window.removeFirst() }
        window.append(((group.lastArrival - origin).inSeconds * 1000, smoothed))
        let trend = window.count == Self.windowMaximum ? slope() ?? previousTrend : 0
        detect(trend, elapsed: sentDelta, at: (group.lastArrival - origin).inSeconds * 1000)
        if let floor, smoothed <= floor { self.floor = nil }
        if usage == .overuse, floor == nil { floor = window.map(\.delay).min() }
    }

    /// The slope of the line that best fits the window; nil if all packets arrived at once.
    private func slope() -> Double? {
        let count = Double(window.count)
        let meanTime = window.reduce(0) { $0 + $1.time } / count
        let meanDelay = window.reduce(0) { $0 + $1.delay } / count
        var numerator = 0.0
        var denominator = 0.0
        for (time, delay) in window {
            numerator += (time - meanTime) * (delay - meanDelay)
            denominator += (time - meanTime) * (time - meanTime)
        }
        return denominator > 0 ? numerator / denominator : nil
    }

    private mutating func detect(_ trend: Double, elapsed: Double, at time: Double) {
        let modified = deltas * trend * Self.gain
        if modified > threshold.value {
            timeOver = timeOver.map { $0 + elapsed } ?? elapsed / 2
            groupsOver += 1
            if let over = timeOver, over > Self.overuseTime, groupsOver > 1, trend >= previousTrend
            {
                timeOver = 0
                groupsOver = 0
                usage = .overuse
            }
        } else {
            timeOver = nil
            groupsOver = 0
            usage = modified < -threshold.value ? .underuse : .normal
        }
        previousTrend = trend
        threshold.update(modified, at: time)
    }

    /// Follows the trend slowly, so that a stream competing with others is not starved by their
    /// queues. GCC sect. 5.4.
    private struct Threshold: Sendable {
        static let range = 6.0...600.0
        static let gainUp = 0.0087
        static let gainDown = 0.039
        /// A jump further than this above the threshold is an outlier.
        static let outlier = 15.0

        var value = 12.5
        private var lastUpdate: Double?

        mutating func update(_ modified: Double, at time: Double) {
            let last = lastUpdate ?? time
            lastUpdate = time
            guard abs(modified) <= value + Self.outlier else { return }
            let gain = abs(modified) < value ? Self.gainDown : Self.gainUp
            value += gain * (abs(modified) - value) * min(max(time - last, 0), 100)
            value = min(max(value, Self.range.lowerBound), Self.range.upperBound)
        }
    }
}
