import AsyncHTTPClient
import Clocks
import Digests
import MediaKernel
import NIOCore
import NIOHTTP1
import ObjectStorage
import ServiceLifecycle
import Synchronization

/// The body of a request to a store.
enum StoreBody: Hashable, Sendable {
    case none
    case bytes([UInt8])
    case file(UploadFile, Range<Int64>)
}

/// The body of a response that is only compared, not stored.
final class StoreReading: Sendable {
    private let state = Mutex((digest: RunningDigest(.sha256), byteCount: Int64(0)))

    func take(_ bytes: [UInt8]) {
        state.withLock {
            $0.digest.update(bytes)
            $0.byteCount += Int64(bytes.count)
        }
    }

    /// SHA-256.
    var digest: [UInt8] { state.withLock { $0.digest.hash } }
    var byteCount: Int64 { state.withLock { $0.byteCount } }
}

/// Exchanges requests and responses with a store: over HTTP in the server, without it in tests.
protocol StoreLine: Sendable {
    /// - Parameter reading: takes the body of a successful response, which the answer then lacks.
    func exchange(
        _ signed: StoreRequest, at url: String, _ body: StoreBody, into reading: StoreReading?
    ) async throws(StoreFailure) -> StoreAnswer
}

struct StoreHTTP: StoreLine {
    let client: HTTPClient
    /// A request fails if the store neither accepts nor sends data for this long.
    let timeout: Duration

    /// The limit of any request; the longest one uploads a part of 5 GiB.
    private static let requestMaximum: TimeAmount = .hours(24)

    func exchange(
        _ signed: StoreRequest, at url: String, _ body: StoreBody, into reading: StoreReading?
    ) async throws(StoreFailure) -> StoreAnswer {
        let watch = StallWatch()
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: signed.method)
        request.headers.add(name: "Host", value: signed.host)
        for field in signed.headers { request.headers.add(name: field.name, value: field.value) }
        switch body {
        case .none: break
        case .bytes(let bytes): request.body = .bytes(bytes)
        case .file(let file, let range):
            request.body = .stream(
                FileStretch(path: file.path, range: range) { watch.moved() },
                length: .known(Int64(range.count)))
        }
        do {
            return try await exchange(request, watch, reading)
        } catch let failure as StoreFailure {
            throw failure
        } catch {
            throw StoreFailure(reason: "\(error)")
        }
    }

    /// The client's own timeouts do not run while a store accepts no bytes.
    private func exchange(
        _ request: HTTPClientRequest, _ watch: StallWatch, _ reading: StoreReading?
    ) async throws -> StoreAnswer {
        try await withThrowingTaskGroup(of: StoreAnswer.self) { group in
            group.addTask {
                let answer = try await client.execute(request, timeout: Self.requestMaximum)
                let isRead = (200..<300).contains(answer.status.code)
                var body: [UInt8] = []
                for try await chunk in answer.body {
                    watch.moved()
                    if isRead, let reading {
                        reading.take(Array(chunk.readableBytesView))
                        continue
                    }
                    body += chunk.readableBytesView
                    guard body.count <= StoreAnswer.bodyBytesMaximum else {
                        throw StoreFailure(reason: "the answer is too long")
                    }
                }
                return StoreAnswer(
                    status: Int(answer.status.code),
                    headers: answer.headers.map { StoreRequest.Field($0.name, $0.value) },
                    body: body)
            }
            group.addTask { try await watch.stall(timeout) }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }
}

/// The connections to a store, for the lifetime of the server.
struct StoreConnection: Service {
    /// Concurrent requests: parts of assets, turns of live streams, and a few others.
    static let connectionsMaximum =
        AssetUploads.filesMaximum * MultipartUpload.inFlightMaximum + LiveUploads.turnsMaximum + 2

    let client: HTTPClient

    init(timeout: Duration) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .nanoseconds(timeout.nanoseconds)))
        configuration.httpVersion = .http1Only
        // With a smaller limit, requests that wait for a connection would count as unanswered.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            Self.connectionsMaximum
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func run() async throws {
        try? await gracefulShutdown()
        try? await client.shutdown()
    }
}

/// Tracks when data last moved between the store and the server.
private final class StallWatch: Sendable {
    private let last = Mutex(MonotonicClock.now)

    func moved() { last.withLock { $0 = MonotonicClock.now } }

    /// Throws when no data has moved for this long.
    func stall(_ timeout: Duration) async throws -> StoreAnswer {
        while true {
            let left = last.withLock { $0 + timeout - MonotonicClock.now }
            guard left > .zero else {
                throw StoreFailure(reason: "nothing moved for \(timeout.inSeconds) s")
            }
            try await Task.sleep(for: left)
        }
    }
}
