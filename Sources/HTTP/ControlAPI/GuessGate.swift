import Clocks
import Datagrams
import HTTPTypes
import MediaKernel
import NIOCore
import Synchronization

/// Limits how many unknown room codes or wrong secrets each address may try, or requests of a kind
/// that it, or a room's peers together, may make. Right secrets are not counted, so that no caller
/// can lock out the others.
final class GuessGate: Sendable {
    /// Whose requests are counted together: the network of an address, empty if it is unknown, or
    /// the name of a room.
    typealias Caller = [UInt8]

    /// The most addresses that are remembered. Beyond that all are forgotten, which costs an
    /// attacker that many addresses.
    static let callersMaximum = 4096

    private let buckets = Mutex<[Caller: TokenBucket]>([:])
    private let rate: Int
    private let burst: Int
    private let clock: @Sendable () -> Instant

    init(
        rate: Int = Limits.guessesPerSecond, burst: Int = Limits.guessesBurst,
        clock: @escaping @Sendable () -> Instant = { MonotonicClock.now }
    ) {
        self.rate = rate
        self.burst = burst
        self.clock = clock
    }

    /// Whether the caller may guess now.
    func isOpen(to caller: Caller) -> Bool {
        let now = clock()
        return buckets.withLock { buckets in
            // Takes a token from a copy, only to find out whether one is available.
            var bucket = buckets[caller]
            return bucket?.take(at: now) ?? true
        }
    }

    /// The caller guessed wrong. It counts even if the gate has closed since: many guesses may have
    /// come at once.
    func failed(_ caller: Caller) {
        change(caller) { $0.charge(at: $1) }
    }

    /// Counts a request.
    ///
    /// - Returns: whether the caller may make it now.
    func pass(_ caller: Caller) -> Bool {
        change(caller) { $0.take(at: $1) }
    }

    private func change<Result: Sendable>(
        _ caller: Caller, _ body: (inout TokenBucket, Instant) -> Result
    ) -> Result {
        let now = clock()
        return buckets.withLock { buckets in
            if buckets[caller] == nil, buckets.count >= Self.callersMaximum { buckets = [:] }
            var bucket = buckets[caller] ?? TokenBucket(rate: rate, burst: burst, at: now)
            defer { buckets[caller] = bucket }
            return body(&bucket, now)
        }
    }

    /// A proxy on this machine names its client last in `X-Forwarded-For`; from other machines that
    /// field is not trusted.
    static func caller(of headers: HTTPFields, from address: SocketAddress?) -> Caller {
        let peer = address.flatMap(TransportAddress.init)
        guard peer?.isLoopback ?? true, let name = HTTPField.Name("X-Forwarded-For"),
            let last = headers[values: name].last?.split(separator: ",").last,
            let client = TransportAddress(String(last.filter { $0 != " " }), port: 0)
        else { return peer?.network ?? [] }
        return client.network
    }
}
