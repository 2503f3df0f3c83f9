import Clocks
import Datagrams
import HTTPTypes
import MediaKernel
import NIOCore
import Synchronization

/// Bounds how many unknown room codes each address may try. Who comes with codes that exist is not
/// counted, so that nobody shuts the codes of all others.
final class RoomCodeGate: Sendable {
    /// Who asks: the network of an address, and nobody in particular where there is none.
    typealias Caller = [UInt8]

    /// Addresses that are kept in mind. Beyond that all are forgotten, which costs whoever guesses
    /// as many addresses as that.
    static let callersMaximum = 4096

    private let buckets = Mutex<[Caller: TokenBucket]>([:])
    private let rate: Int
    private let burst: Int
    private let clock: @Sendable () -> Instant

    init(
        rate: Int = Limits.unknownRoomCodesPerSecond, burst: Int = Limits.unknownRoomCodesBurst,
        clock: @escaping @Sendable () -> Instant = { MonotonicClock.now }
    ) {
        self.rate = rate
        self.burst = burst
        self.clock = clock
    }

    /// Whether the caller may try a code now.
    func isOpen(to caller: Caller) -> Bool {
        let now = clock()
        return buckets.withLock { buckets in
            // A copy, of which one is taken for the question's sake.
            var bucket = buckets[caller]
            return bucket?.take(at: now) ?? true
        }
    }

    /// The caller tried a code that does not exist. It counts though the gate has been shut since:
    /// many may have been tried at once.
    func failed(_ caller: Caller) {
        let now = clock()
        buckets.withLock { buckets in
            if buckets[caller] == nil, buckets.count >= Self.callersMaximum { buckets = [:] }
            var bucket = buckets[caller] ?? TokenBucket(rate: rate, burst: burst, at: now)
            bucket.charge(at: now)
            buckets[caller] = bucket
        }
    }

    /// A proxy on this machine says for whom it asks, last in `X-Forwarded-For`; from elsewhere
    /// that field is anybody's word.
    static func caller(of headers: HTTPFields, from address: SocketAddress?) -> Caller {
        let peer = address.flatMap(TransportAddress.init)
        guard peer?.isLoopback ?? true, let name = HTTPField.Name("X-Forwarded-For"),
            let last = headers[values: name].last?.split(separator: ",").last,
            let client = TransportAddress(String(last.filter { $0 != " " }), port: 0)
        else { return peer?.network ?? [] }
        return client.network
    }
}
