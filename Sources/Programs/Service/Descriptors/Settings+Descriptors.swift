import MediaServer
import NIOCore
import Webhooks

extension Settings {
    /// What is wished for at a time.
    var descriptorWish: DescriptorBudget.Shares {
        DescriptorBudget.Shares(
            connections: httpConnectionsMaximum,
            links: tcpPort == .none ? 0 : tcpLinksMaximum,
            bots: stream.streamsMaximum, finishers: stream.finishersMaximum)
    }

    /// What the server itself has open at most, whoever calls.
    ///
    /// - Parameter cores: for each of which there is a loop of HTTP.
    func ownDescriptors(cores: Int = System.coreCount) -> Int {
        let loops = cores + udpThreads
        return OwnDescriptors.fixed + loops * OwnDescriptors.perLoop
            // A socket of UDP each.
            + udpThreads
            // A connection each, and what it sends.
            + (store == nil ? 0 : StoreConnection.connectionsMaximum * 2)
            + (webhooks == nil ? 0 : WebhookOutbox.inFlightMaximum)
    }

    /// The same settings with as many of each as there is room for.
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
    /// Standard input, output and error 3, locks of the two directories 2, the catalogue with its
    /// journal at each of the writer and five readers 12, their shared memory 1, signals 3, timers
    /// and the watch over children 6, the listening sockets 2, and what is held of the files that
    /// must not be exchanged 5.
    static let fixed = 34
    /// epoll, eventfd and timerfd.
    static let perLoop = 3
}
