import Datagrams
import MediaKernel
import NIOCore
import Synchronization

/// What other media loops have for one of them.
///
/// Datagrams are dropped when a loop is too far behind, as the kernel drops those of a socket that is
/// not read. All else is a matter of a connection's life and comes through.
final class LoopInbox: Sendable {
    enum Item: Hashable, Sendable {
        /// A datagram for one of its connections, which came to the same port of another loop, and
        /// to that address of this machine.
        case received(
            [UInt8], from: TransportAddress, port: Int, local: LocalAddress? = nil)
        /// A datagram for a TCP connection that it holds.
        case send([UInt8], to: TransportAddress, listener: Int)
        /// Whom that TCP connection belonged to is gone.
        case close(TransportAddress, listener: Int)
        /// The address belongs to a connection of another loop from now on.
        case lost(TransportAddress)

        /// What it takes to keep it, near enough; nothing where it is not to be dropped.
        fileprivate var bytes: Int {
            switch self {
            case .received(let bytes, _, _, _), .send(let bytes, _, _): 64 + bytes.count
            case .close, .lost: 0
            }
        }
    }

    /// Bytes of datagrams that wait, and of what goes with each.
    static let bytesMaximum = 4 << 20
    /// What is taken at a time, as much as one call to the kernel reads: each may go to a hundred.
    static let itemsAtOnce = 32
    /// How long the rest waits, so that the loop looks at its sockets in between: it would not do
    /// so for a task that is due at once.
    static let restDelay: TimeAmount = .microseconds(100)

    private struct State {
        var items = BoundedQueue<Item>(maximum: .max)
        var bytes = 0
        var take: (@Sendable ([Item]) -> Void)?
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// - Parameter take: called on the loop with what has come, in order and some at a time.
    func open(_ take: @escaping @Sendable ([Item]) -> Void) {
        state.withLock { $0.take = take }
    }

    /// What comes later is dropped.
    ///
    /// - Returns: what had come and was not taken yet, in order.
    func close() -> [Item] {
        state.withLock { state in
            var items: [Item] = []
            while let item = state.items.popFirst() { items.append(item) }
            state = State()
            return items
        }
    }

    /// From any thread.
    func put(_ item: Item) {
        let isFirst = state.withLock { state in
            let isTooMuch = item.bytes > 0 && state.bytes + item.bytes > Self.bytesMaximum
            guard state.take != nil, !isTooMuch else { return false }
            state.items.append(item)
            state.bytes += item.bytes
            return state.items.count == 1
        }
        // Whoever comes while the loop is on its way is taken along.
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
