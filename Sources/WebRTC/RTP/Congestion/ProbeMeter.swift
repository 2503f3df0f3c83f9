import MediaKernel

/// Measures the result of one probe, a short period of sending at a higher rate.
struct ProbeMeter: Sendable {
    /// A probe with fewer received packets says nothing.
    static let packetsMinimum = 5
    /// The share of the probe's packets that must have been received before it is judged.
    static let reportedShare = 0.8

    let id: Int
    private(set) var sentPackets = 0
    /// No packet will be added.
    var isComplete = false
    private var results: [PacketResult] = []

    init(id: Int) { self.id = id }

    mutating func sent() { sentPackets += 1 }

    /// The measured rate in bits per second once enough packets have arrived; nil before, and
    /// always nil for a probe of which too few arrive.
    mutating func received(_ result: PacketResult) -> Int? {
        guard result.arrival != nil else { return nil }
        results.append(result)
        guard isComplete, results.count >= Self.packetsMinimum,
            Double(results.count) >= Double(sentPackets) * Self.reportedShare
        else { return nil }
        return measured
    }

    /// The lower of the sending rate and the arrival rate. Packets sent at one moment fill the time
    /// until the next, so the last moment of sending and the first of arrival do not count.
    private var measured: Int? {
        let arrivals = results.compactMap(\.arrival)
        guard let firstSent = results.map(\.sent).min(), let lastSent = results.map(\.sent).max(),
            let firstArrival = arrivals.min(), let lastArrival = arrivals.max()
        else { return nil }
        var sentBytes = 0
        var arrivedBytes = 0
        for result in results {
            if lastSent - result.sent > .milliseconds(1) { sentBytes += result.bytes }
            if let arrival = result.arrival, arrival - firstArrival > .milliseconds(1) {
                arrivedBytes += result.bytes
            }
        }
        let sendTime = (lastSent - firstSent).inSeconds
        let arrivalTime = (lastArrival - firstArrival).inSeconds
        guard sendTime > 0, arrivalTime > 0 else { return nil }
        let sendRate = Double(sentBytes * 8) / sendTime
        let arrivalRate = Double(arrivedBytes * 8) / arrivalTime
        // The probe arrived more slowly than it was sent, so it found the bottleneck: leave a
        // margin.
        return Int(arrivalRate < 0.9 * sendRate ? 0.95 * arrivalRate : min(sendRate, arrivalRate))
    }
}
