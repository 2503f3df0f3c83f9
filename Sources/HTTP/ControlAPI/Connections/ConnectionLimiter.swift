import Clocks
import Datagrams
import Logging
import MediaKernel
import NIOCore
import Synchronization

/// Limits the connections of each address. Connections from this machine are not counted, since all
/// clients of a local proxy, and every bot, come from there.
final class ConnectionLimiter: Sendable {
    enum Admission: Hashable, Sendable {
        case served
        /// Not served, and the client is told.
        case refused
        /// Not served, and closed at once: too many refused clients are waiting for their answer.
        case dropped
    }

    /// The most refused connections that are open at a time. Each is a file descriptor, and those
    /// are scarce.
    static let refusedMaximum = 64

    private struct State {
        var census: AddressCensus
        var refusals = RefusalCount()
        var refused = 0
    }

    private let state: Mutex<State>
    private let logger: Logger
    private let clock: @Sendable () -> Instant

    /// - Parameter maximum: connections of one address at a time.
    init(
        maximum: Int, logger: Logger,
        clock: @escaping @Sendable () -> Instant = { MonotonicClock.now }
    ) {
        state = Mutex(State(census: AddressCensus(maximum: maximum)))
        self.logger = logger
        self.clock = clock
    }

    /// Admits or refuses a new connection. An admitted connection counts until it is closed.
    func admission(of channel: any Channel) -> Admission {
        guard let address = channel.remoteAddress.flatMap(TransportAddress.init),
            !address.isLoopback
        else { return .served }
        let now = clock()
        let (admission, untold) = state.withLock { state in
            if state.census.enter(address) { return (Admission.served, Int?.none) }
            let isTold = state.refused < Self.refusedMaximum
            if isTold { state.refused += 1 }
            return (isTold ? .refused : .dropped, state.refusals.add(at: now))
        }
        if let untold {
            logger.warning(
                "too many HTTP connections of one address",
                metadata: ["address": "\(address.host)", "refused": "\(untold)"])
        }
        guard admission != .dropped else { return .dropped }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                if admission == .served {
                    state.census.leave(address)
                } else {
                    state.refused -= 1
                }
            }
        }
        return admission
    }
}
