import Datagrams
import MediaKernel
import NIOCore
import Synchronization

/// Items that other media loops send to one loop.
///
/// Datagrams are dropped if the loop is too far behind, as the kernel drops those of an unread
/// socket. All other items concern a connection's lifetime and are never dropped.
final class LoopInbox: Sendable {
    enum Item: Hashable, Sendable {
        /// A datagram for one of the loop's connections that arrived at another loop, at the same
        /// port index and at this local address.
        case received(
            [UInt8], from: TransportAddress, port: Int, local: LocalAddress? = nil)
        /// A datagram for a TCP connection that the loop holds.
        case send([UInt8], to: TransportAddress, listener: Int)
        /// The owner of this TCP connection is gone.
        case close(TransportAddress, listener: Int)
        /// The address belongs to a connection of another loop from now on.
        case lost(TransportAddress)

        /// The approximate memory of the item; 0 if it must not be dropped.
        fileprivate var bytes: Int {
            switch self {
            case .received(let bytes, _, _, _), .send(let bytes, _, _): 64 + bytes.count
            case .close, .lost: 0
            }
        }
    }

    /// Limits the waiting datagrams, in bytes including the overhead of each.
    static let bytesMaximum = 4 << 20
    /// Items taken at once, as many as one kernel call reads: each may be forwarded to a hundred
    /// peers.
    static let itemsAtOnce = 32
    /// How long the rest waits, so that the loop reads its sockets in between. A task due at once
    /// would not let it.
    static let restDelay: TimeAmount = .microseconds(100)

    private struct State {
        var items = BoundedQueue<Item>(maximum: .max)
        var bytes = 0
        var take: (@Sendable ([Item]) -> Void)?
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// - Parameter take: called on the loop with the received items, in order and some at a time.
    func open(_ take: @escaping @Sendable ([Item]) -> Void) {
        state.withLock { $0.take = take }
    }

    /// Closes the inbox. Later items are dropped.
    ///
    /// - Returns: the remaining items, in order.
    func close() -> [Item] {
        state.withLock { state in
            var items: [Item] = []
            while let item = state.items.popFirst() { items.append(item) }
            state = State()
            return items
        }
    }

    /// Adds an item. Callable from any thread.
    func put(_ item: Item) {
        let isFirst = state.withLock { state in
            let isTooMuch = item.bytes > 0 && state.bytes + item.bytes > Self.bytesMaximum
            guard state.take != nil, !isTooMuch else { return false }
            state.items.append(item)
            state.bytes += item.bytes
            return state.items.count == 1
        }
        // Items added before the loop runs are taken in the same turn.
        if isFirst { eventLoop.execute { self.empty() } }
    }

    private func empty() {
        let (items, take, hasMore) = state.withLock { state in
            var items: [Item] = []
            while items.count < Self.itemsAtOnce, let item = state.items.popFirst() {
                state.bytes -= item.bytes
                items.append(item)
            }
            return (items, state.take, !state.items.isEmpty)
        }
        if !items.isEmpty { take?(items) }
        if hasMore { eventLoop.scheduleTask(in: Self.restDelay) { self.empty() } }
    }
}
