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
    private static let chunkBytes = 1 << 16

    /// What compresses to nothing less, so that nobody on the way makes it shorter.
    private static let chunk: ByteBuffer = {
        var random = SeededRandom(seed: 1)
        var buffer = ByteBuffer()
        buffer.reserveCapacity(chunkBytes)
        for _ in 0..<(chunkBytes / 8) { buffer.writeInteger(random.next()) }
        return buffer
    }()

    private let downloads = Mutex(0)

    func respond() -> Response {
        var headers = CrossOrigin.headers
        headers[.cacheControl] = "no-store"
        let isTaken = downloads.withLock { count in
            guard count < Self.downloadsMaximum else { return false }
            count += 1
            return true
        }
        guard isTaken else { return Response(status: .serviceUnavailable, headers: headers) }
        headers[.contentType] = "application/octet-stream"
        let place = Place(of: self)
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
        private let isTaken = Mutex(true)

        init(of test: NetworkTest) { self.test = test }

        deinit { giveBack() }

        func giveBack() {
            let wasTaken = isTaken.withLock { isTaken in
                defer { isTaken = false }
                return isTaken
            }
            if wasTaken { test.downloads.withLock { $0 -= 1 } }
        }
    }
}
