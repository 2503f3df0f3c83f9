import MediaKernel

/// Recognizes packets of one track that did not come late but were read late: after this machine, or
/// this process, has stood still for some seconds, all that waited meanwhile is read at once. Such
/// arrivals say nothing about the sender's clock.
///
/// A sender whose clock has really stood still is late for good, and is believed after two seconds.
struct ArrivalBacklog {
    private var latest: (timestamp: Int64, arrival: Instant)?
    private var lateSince: Instant?

    /// Below what makes a `SourceClock` begin anew.
    private static let lateness: Duration = .seconds(3)
    private static let patience: Duration = .seconds(2)

    /// - Parameters:
    ///   - timestamp: of RTP, unwrapped.
    ///   - rate: its ticks per second.
    /// - Returns: whether the arrival is to be ignored.
    mutating func contains(_ timestamp: Int64, rate: Int64, at arrival: Instant) -> Bool {
        if let latest {
            let media = Double(timestamp) - Double(latest.timestamp)
            let late = (arrival - latest.arrival).inSeconds - media / Double(rate)
            // A timestamp that goes back belongs to another clock.
            if media >= 0, late >= Self.lateness.inSeconds {
                let since = lateSince ?? arrival
                lateSince = since
                if arrival - since < Self.patience { return true }
            }
        }
        lateSince = nil
        latest = (timestamp, arrival)
        return false
    }
}
