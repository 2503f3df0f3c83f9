import Datagrams
import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import Synchronization

/// The download with which 100ms' clients test the network before they join a room: `GET
/// /network-test`. Public, like the streams: it reveals nothing.
final class NetworkTest: Sendable {
    static let path = "/network-test"
    /// A second over 8 Mbit/s, which is more than a call needs.
    static let byteCount = 1 << 20
    /// At a time. Further clients are told to retry later, and then report an unknown network
    /// quality.
    static let downloadsMaximum = 64
    /// The most downloads of one address: a stalled reader keeps its place for minutes.
    static let downloadsPerAddressMaximum = 4
    private static let chunkBytes = 1 << 16

    /// Incompressible bytes, so that no proxy makes them shorter.
    private static let chunk: ByteBuffer = {
        var random = SeededRandom(seed: 1)
        var buffer = ByteBuffer()
        buffer.reserveCapacity(chunkBytes)
        for _ in 0..<(chunkBytes / 8) { buffer.writeInteger(random.next()) }
        return buffer
    }()

    private struct Downloads {
        var count = 0
        /// Of callers whose address is known.
        var perCaller: [GuessGate.Caller: Int] = [:]

        mutating func begin(_ caller: GuessGate.Caller?) -> Bool {
            guard count < NetworkTest.downloadsMaximum else { return false }
            if let caller {
                let own = perCaller[caller, default: 0]
                guard own < NetworkTest.downloadsPerAddressMaximum else { return false }
                perCaller[caller] = own + 1
            }
            count += 1
            return true
        }

        mutating func end(_ caller: GuessGate.Caller?) {
            count -= 1
            guard let caller else { return }
            let own = perCaller[caller, default: 0] - 1
            perCaller[caller] = own > 0 ? own : nil
        }
    }

    private let downloads = Mutex(Downloads())

    /// The caller, as for room codes. Nil for callers on this machine, and for all clients of a
    /// local proxy that does not name them.
    static func caller(
        of headers: HTTPFields, from address: SocketAddress?
    ) -> GuessGate.Caller? {
        let caller = GuessGate.caller(of: headers, from: address)
        let peer = address.flatMap(TransportAddress.init)
        guard peer?.isLoopback ?? true, caller == peer?.network ?? [] else { return caller }
        return nil
    }

    func respond(to caller: GuessGate.Caller?) -> Response {
        var headers = CrossOrigin.headers
        headers[.cacheControl] = "no-store"
        let isTaken = downloads.withLock { $0.begin(caller) }
        guard isTaken else { return Response(status: .serviceUnavailable, headers: headers) }
        headers[.contentType] = "application/octet-stream"
        let place = Place(of: self, caller)
        let body = ResponseBody(contentLength: Self.byteCount) { writer in
            defer { place.giveBack() }
            for _ in 0..<(Self.byteCount / Self.chunkBytes) { try await writer.write(Self.chunk) }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// One download's place, which is returned when the download ends or never begins.
    private final class Place: Sendable {
        private let test: NetworkTest
        private let caller: GuessGate.Caller?
        private let isTaken = Mutex(true)

        init(of test: NetworkTest, _ caller: GuessGate.Caller?) {
            self.test = test
            self.caller = caller
        }

        deinit { giveBack() }

        func giveBack() {
            let wasTaken = isTaken.withLock { isTaken in
                defer { isTaken = false }
                return isTaken
            }
            if wasTaken { test.downloads.withLock { $0.end(caller) } }
        }
    }
}
