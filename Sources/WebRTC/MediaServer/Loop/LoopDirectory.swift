import MediaKernel
import NIOCore
import Synchronization

/// Which of a server's media loops what belongs to.
///
/// A room and its connections are one loop's. The kernel deals the datagrams of the one UDP port out
/// by addresses, of which it does not know the rooms: so a loop that gets another's looks here whose
/// it is. What is its own it knows itself.
final class LoopDirectory: Sendable {
    /// Connections that an empty room is expected to have, or all rooms that open at once would go to
    /// one loop.
    private static let expectedConnections = 4

    /// Whose an address is, and how long nobody else can have it for a mere claim.
    private struct Holding {
        var loop: Int
        var end: Instant
    }

    /// How long an address is held by whoever was heard there by its keys: as long as consent to send
    /// there lasts. RFC 7675 sect. 5.1.
    static let holdingTime: Duration = .seconds(30)

    private struct State {
        var fragments: [String: Int] = [:]
        var addresses: [TransportAddress: Holding] = [:]
        var rooms: [Int]
        var connections: [Int]
    }

    /// By loop.
    let inboxes: [LoopInbox]
    private let state: Mutex<State>

    init(eventLoops: [any EventLoop]) {
        inboxes = eventLoops.map { LoopInbox(eventLoop: $0) }
        let nothing = [Int](repeating: 0, count: eventLoops.count)
        state = Mutex(State(rooms: nothing, connections: nothing))
    }

    // MARK: Rooms

    /// The loop for a new room: the one with the least to do.
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

    /// Hands over the one loop that has all rooms; nil where several have some, or none has any. No
    /// room comes or goes meanwhile: what is made of it by the last one who asks is right.
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

    /// Gives an address to a connection of that loop, and takes it from one of another.
    ///
    /// - Parameter isProven: the other side has shown that it is there, or the address must be free.
    /// - Returns: false where somebody else holds it.
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

    /// Whom it belongs to was heard there by its keys.
    func hold(_ address: TransportAddress, for loop: Int, at now: Instant) {
        state.withLock { state in
            guard state.addresses[address]?.loop == loop else { return }
            state.addresses[address]?.end = now + Self.holdingTime
        }
    }

    /// Unless it belongs to another loop by now.
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
