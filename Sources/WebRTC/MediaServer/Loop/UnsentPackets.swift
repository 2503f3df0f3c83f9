import MediaKernel
import PeerConnection

/// Counts the packets of a loop's connections that could not be encrypted and were not sent.
struct UnsentPackets {
    /// How often the packets are counted and, at most, reported.
    static let interval: Duration = .seconds(10)

    private var nextLook = Instant.zero
    /// Packets of connections closed since the last look.
    private var ofClosed = 0

    mutating func closed(_ connection: Connection) {
        ofClosed += connection.core.takeUnsentPackets()
    }

    /// The number since the last look; nil if the next look is not due.
    mutating func look(
        at connections: some Sequence<Connection>, at now: Instant
    ) -> Int? {
        guard nextLook <= now else { return nil }
        nextLook = now + Self.interval
        defer { ofClosed = 0 }
        return connections.reduce(ofClosed) { $0 + $1.core.takeUnsentPackets() }
    }
}
