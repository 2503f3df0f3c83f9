import MediaKernel
import NIOCore
import Synchronization

/// Records which of a server's media loops owns each room, connection and address.
///
/// A room and its connections belong to one loop. The kernel distributes the datagrams of the one
/// UDP port by address and knows no rooms, so a loop that receives another loop's datagram looks up
/// the owner here. A loop knows its own connections itself.
final class LoopDirectory: Sendable {
    /// The connections expected of an empty room. Without it, all rooms opened at once would go to
    /// one loop.
    private static let expectedConnections = 4

    /// The owner of an address, and until when an unproven claim cannot take it.
    private struct Holding {
        var loop: Int
        var end: Instant
    }

    /// How long an address stays with the connection that sent authenticated packets from it: as
    /// long as consent to send there lasts. RFC 7675 sect. 5.1.
    static let holdingTime: Duration = .seconds(30)

    private struct State {
        var fragments: [String: Int] = [:]
        var addresses: [TransportAddress: Holding] = [:]
        var rooms: [Int]
        var connections: [Int]
    }

    /// Indexed by loop.
    let inboxes: [LoopInbox]
    private let state: Mutex<State>

    init(eventLoops: [any EventLoop]) {
        inboxes = eventLoops.map { LoopInbox(eventLoop: $0) }
        let nothing = [Int](repeating: 0, count: eventLoops.count)
        state = Mutex(State(rooms: nothing, connections: nothing))
    }

    // MARK: Rooms

    /// Chooses the loop for a new room: the one with the least load.
    func placeRoom() -> Int {
        state.withLock { state in
            let loads = zip(state.rooms, state.connections).map { rooms, connections in
                max(rooms * Self.expectedConnections, connections)
            }
            let loop = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            state.rooms[loop] += 1
            return loop
        }
    }

    func removeRoom(from loop: Int) { state.withLock { $0.rooms[loop] -= 1 } }

    /// Passes on the one loop that has all rooms; nil if several have rooms, or none. No room comes
    /// or goes during the call, so the last caller acts on the correct state.
    func withOnlyLoop(_ body: (Int?) -> Void) {
        state.withLock { state in
            let rooms = state.rooms
            let taken = rooms.indices.filter { rooms[$0] > 0 }
            body(taken.count == 1 ? taken[0] : nil)
        }
    }

    // MARK: Connections

    func addConnection(to loop: Int) { state.withLock { $0.connections[loop] += 1 } }
    func removeConnection(from loop: Int) { state.withLock { $0.connections[loop] -= 1 } }

    func register(_ fragment: String, of loop: Int) {
        state.withLock { $0.fragments[fragment] = loop }
    }

    func forget(_ fragment: String) { state.withLock { $0.fragments[fragment] = nil } }

    /// Assigns an address to a connection of this loop, and takes it from another loop's.
    ///
    /// - Parameter isProven: whether the other side has proven its address; if not, the address
    ///   must be free.
    /// - Returns: false if another connection holds the address.
    func claim(
        _ address: TransportAddress, for loop: Int, isProven: Bool, at now: Instant
    ) -> Bool {
        let former = state.withLock { state -> (isGranted: Bool, loop: Int?) in
            let holding = state.addresses[address]
            if let holding, !isProven, holding.end > now { return (false, nil) }
            state.addresses[address] = Holding(
                loop: loop, end: isProven ? now + Self.holdingTime : now)
            return (true, holding?.loop)
        }
        if let loopBefore = former.loop, loopBefore != loop {
            inboxes[loopBefore].put(.lost(address))
        }
        return former.isGranted
    }

    /// Renews the hold after an authenticated packet from the address.
    func hold(_ address: TransportAddress, for loop: Int, at now: Instant) {
        state.withLock { state in
            guard state.addresses[address]?.loop == loop else { return }
            state.addresses[address]?.end = now + Self.holdingTime
        }
    }

    /// Releases an address unless another loop owns it by now.
    func release(_ address: TransportAddress, of loop: Int) {
        state.withLock { state in
            if state.addresses[address]?.loop == loop { state.addresses[address] = nil }
        }
    }

    func loop(ofFragment fragment: String) -> Int? { state.withLock { $0.fragments[fragment] } }
    func loop(of address: TransportAddress) -> Int? {
        state.withLock { $0.addresses[address]?.loop }
    }
}
