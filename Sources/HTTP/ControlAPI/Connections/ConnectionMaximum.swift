import Clocks
import HummingbirdCore
import Logging

/// Stops accepting at the maximum number of connections: more wait in the system's backlog.
struct ConnectionMaximum: AvailableConnectionsDelegate {
    let maximum: Int
    let logger: Logger
    private var count = 0
    private var refusals = RefusalCount()

    init(_ maximum: Int, logger: Logger) {
        self.maximum = maximum
        self.logger = logger
    }

    mutating func connectionOpened() {
        count += 1
        guard count == maximum, refusals.add(at: MonotonicClock.now) != nil else { return }
        logger.warning(
            "as many HTTP connections as there may be: more have to wait",
            metadata: ["maximum": "\(maximum)"])
    }

    mutating func connectionClosed() { count -= 1 }

    func isAcceptingNewConnections() -> Bool { count < maximum }
}
