import MediaServer
import NIOCore
import Webhooks

extension Settings {
    /// The wanted maxima.
    var descriptorWish: DescriptorBudget.Shares {
        DescriptorBudget.Shares(
            connections: httpConnectionsMaximum,
            links: tcpPort == .none ? 0 : tcpLinksMaximum,
            bots: stream.streamsMaximum, finishers: stream.finishersMaximum)
    }

    /// The most descriptors of the server itself, independent of clients.
    ///
    /// - Parameter cores: each core has one HTTP event loop.
    func ownDescriptors(cores: Int = System.coreCount) -> Int {
        let loops = cores + udpThreads
        return OwnDescriptors.fixed + loops * OwnDescriptors.perLoop
            // One UDP socket each.
            + udpThreads
            // A connection and the file being sent each.
            + (store == nil ? 0 : StoreConnection.connectionsMaximum * 2)
            + (webhooks == nil ? 0 : WebhookOutbox.inFlightMaximum)
    }

    /// These settings with the maxima of a budget.
    func fitted(to budget: DescriptorBudget) -> Settings {
        var settings = self
        settings.httpConnectionsMaximum = budget.shares.connections
        settings.tcpLinksMaximum = budget.shares.links
        settings.stream.streamsMaximum = budget.shares.bots
        settings.stream.finishersMaximum = budget.shares.finishers
        return settings
    }
}

private enum OwnDescriptors {
    /// Standard input, output and error 3, locks of the two directories 2, the catalogue and its
    /// journal for the writer and five readers 12, their shared memory 1, signals 3, timers and the
    /// watch over children 6, listening sockets 2, files held to detect their replacement 5.
    static let fixed = 34
    /// epoll, eventfd and timerfd.
    static let perLoop = 3
}
