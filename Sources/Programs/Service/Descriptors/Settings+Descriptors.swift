import ControlAPI
import MediaServer
import NIOCore
import Webhooks

extension Settings {
    /// The wanted maxima.
    var descriptorWish: DescriptorBudget.Shares {
        DescriptorBudget.Shares(
            connections: http.connectionsMaximum,
            links: tcp.port == .none ? 0 : tcp.linksMaximum,
            bots: stream.limits.streams, finishers: stream.limits.finishers)
    }

    /// The most descriptors of the server itself, independent of clients.
    ///
    /// - Parameter cores: each core has one HTTP event loop.
    func ownDescriptors(cores: Int = System.coreCount) -> Int {
        let loops = cores + udp.threads
        return OwnDescriptors.fixed + loops * OwnDescriptors.perLoop
            // One UDP socket each.
            + udp.threads
            // A connection and the file being sent each.
            + (store == nil ? 0 : StoreConnection.connectionsMaximum * 2)
            + (webhookReceivers?.count ?? 0) * WebhookOutbox.inFlightMaximum
            // And the socket that listens.
            + (http.metrics == nil ? 0 : MetricsAddress.connectionsMaximum + 1)
    }

    /// These settings with the maxima of a budget.
    func fitted(to budget: DescriptorBudget) -> Settings {
        var settings = self
        settings.http.connectionsMaximum = budget.shares.connections
        settings.tcp.linksMaximum = budget.shares.links
        settings.stream.limits.streams = budget.shares.bots
        settings.stream.limits.finishers = budget.shares.finishers
        return settings
    }
}

private enum OwnDescriptors {
    /// Standard input, output and error 3, locks of the two directories 2, the catalogue and its
    /// journal for the writer and five readers 12, their shared memory 1, signals 4, timers and the
    /// watch over children 6, listening sockets 2, files held to detect their replacement 5.
    static let fixed = 35
    /// epoll, eventfd and timerfd.
    static let perLoop = 3
}
