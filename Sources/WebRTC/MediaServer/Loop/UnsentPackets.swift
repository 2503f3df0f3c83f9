import MediaKernel
import PeerConnection

/// Packets of a loop's connections that could not be encrypted, and so were not sent.
struct UnsentPackets {
    /// How often it is looked whether there are some, and said at most.
    static let interval: Duration = .seconds(10)

    private var nextLook = Instant.zero
    /// Of connections that are closed, since the last look.
    private var ofClosed = 0

    mutating func closed(_ connection: Connection) {
        ofClosed += connection.core.takeUnsentPackets()
    }

    /// How many there were since the last look; nil while the next one is not due.
    mutating func look(
        at connections: some Sequence<Connection>, at now: Instant
    ) -> Int? {
        guard nextLook <= now else { return nil }
        nextLook = now + Self.interval
        defer { ofClosed = 0 }
        return connections.reduce(ofClosed) { $0 + $1.core.takeUnsentPackets() }
    }
}
