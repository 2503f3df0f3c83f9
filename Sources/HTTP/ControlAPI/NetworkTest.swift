import Datagrams
import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import Synchronization

/// What 100ms' clients download while they preview a room, to say how good the network is: `GET
/// /network-test`. For anybody, like the streams: it says nothing.
final class NetworkTest: Sendable {
    static let path = "/network-test"
    /// A second over 8 Mbit/s, which is more than a call needs.
    static let byteCount = 1 << 20
    /// At a time. Others are told to come later, which their clients take for a network of which
    /// nothing is known.
    static let downloadsMaximum = 64
    /// Of them, those of one address: a reader that stalls keeps its place for minutes.
    static let downloadsPerAddressMaximum = 4
    private static let chunkBytes = 1 << 16

    /// What compresses to nothing less, so that nobody on the way makes it shorter.
    private static let chunk: ByteBuffer = {
        var random = SeededRandom(seed: 1)
        var buffer = ByteBuffer()
        buffer.reserveCapacity(chunkBytes)
        for _ in 0..<(chunkBytes / 8) { buffer.writeInteger(random.next()) }
        return buffer
    }()

    private struct Downloads {
        var count = 0
        /// Of those whose address is known.
        var perCaller: [RoomCodeGate.Caller: Int] = [:]

        mutating func begin(_ caller: RoomCodeGate.Caller?) -> Bool {
            guard count < NetworkTest.downloadsMaximum else { return false }
            if let caller {
                let own = perCaller[caller, default: 0]
                guard own < NetworkTest.downloadsPerAddressMaximum else { return false }
                perCaller[caller] = own + 1
            }
            count += 1
            return true
        }

        mutating func end(_ caller: RoomCodeGate.Caller?) {
            count -= 1
            guard let caller else { return }
            let own = perCaller[caller, default: 0] - 1
            perCaller[caller] = own > 0 ? own : nil
        }
    }

    private let downloads = Mutex(Downloads())

    /// Who asks, as for room codes. Nil is whoever is on this machine, and all those for whom a
    /// proxy here asks that does not name them.
    static func caller(
        of headers: HTTPFields, from address: SocketAddress?
    ) -> RoomCodeGate.Caller? {
        let caller = RoomCodeGate.caller(of: headers, from: address)
        let peer = address.flatMap(TransportAddress.init)
        guard peer?.isLoopback ?? true, caller == peer?.network ?? [] else { return caller }
        return nil
    }

    func respond(to caller: RoomCodeGate.Caller?) -> Response {
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

    /// One download's, given back when it is over, or was never begun.
    private final class Place: Sendable {
        private let test: NetworkTest
        private let caller: RoomCodeGate.Caller?
        private let isTaken = Mutex(true)

        init(of test: NetworkTest, _ caller: RoomCodeGate.Caller?) {
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
