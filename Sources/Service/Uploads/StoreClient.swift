import AsyncHTTPClient
import Clocks
import Foundation
import MediaKernel
import NIOCore
import NIOHTTP1
import ObjectStorage
import ServiceLifecycle
import Synchronization

/// Asks a store over HTTP. Bodies are read from the disk while they are sent.
struct StoreClient: StoreCourier {
    let access: StoreAccess
    let client: HTTPClient
    /// A store that takes and sends nothing for so long has not answered.
    let timeout: Duration
    let clock: @Sendable () -> UnixTime

    /// Ends a request whatever its progress; the longest takes a part of 5 GiB.
    private static let requestMaximum: TimeAmount = .hours(24)

    init(
        access: StoreAccess, client: HTTPClient, timeout: Duration,
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.access = access
        self.client = client
        self.timeout = timeout
        self.clock = clock
    }

    func create(_ file: UploadFile) async throws(StoreFailure) -> String {
        // One whose answer was lost, or whose file was begun anew, would be kept and paid for.
        try await abandonUploads(to: file.location)
        let answer = try await ask(
            access.store.create(file.location, contentType: file.location.contentType))
        guard answer.isSuccess, let uploadID = answer.uploadID else { throw StoreFailure(answer) }
        return uploadID
    }

    func send(
        part: Int, of uploadID: String, _ file: UploadFile, _ range: Range<Int64>
    ) async throws(StoreFailure) -> MultipartUpload.Part {
        let digest = try await digest(of: file, range)
        let watch = StallWatch()
        let answer = try await ask(
            access.store.send(part: part, of: uploadID, to: file.location, digest: digest),
            body(of: file, range, watch), watch: watch)
        guard answer.isSuccess, let entityTag = answer.header("etag") else {
            throw StoreFailure(answer)
        }
        return MultipartUpload.Part(number: part, entityTag: entityTag, digest: digest)
    }

    func complete(
        _ uploadID: String, parts: [MultipartUpload.Part], _ file: UploadFile
    ) async throws(StoreFailure) {
        let (request, body) = access.store.complete(uploadID, parts: parts, at: file.location)
        let answer = try await ask(request, .bytes(body))
        guard answer.isSuccess else { throw StoreFailure(answer) }
    }

    func look(
        for file: UploadFile, checksum expected: String
    ) async throws(StoreFailure) -> (byteCount: Int64?, checksum: String?) {
        let answer = try await ask(access.store.head(file.location))
        if answer.status == 404 { return (nil, nil) }
        guard answer.isSuccess, let length = answer.header("content-length").flatMap({ Int64($0) })
        else { throw StoreFailure(answer) }
        guard let checksum = answer.header("x-amz-checksum-sha256"), !checksum.contains("-")
        else { return (length, answer.header("x-amz-checksum-sha256")) }
        // Some stores leave the number of parts away.
        if expected.hasPrefix("\(checksum)-") { return (length, expected) }
        // Some have one of the whole object instead of one of the parts' checksums.
        let whole = try await digest(of: file, 0..<file.byteCount)
        return (length, Data(whole).base64EncodedString() == checksum ? expected : checksum)
    }

    func abandonUploads(to location: ObjectLocation) async throws(StoreFailure) {
        let answer = try await ask(access.store.uploads(to: location))
        guard answer.isSuccess else {
            // Listing may not be allowed, or not exist; a rule of the bucket does it then.
            if (400..<500).contains(answer.status) || answer.status == 501 { return }
            throw StoreFailure(answer)
        }
        for uploadID in answer.uploadIDs(to: location.key) {
            let answer = try await ask(access.store.abort(uploadID, at: location))
            guard answer.isSuccess || answer.status == 404 else { throw StoreFailure(answer) }
        }
    }

    func delete(_ location: ObjectLocation) async throws(StoreFailure) {
        let answer = try await ask(access.store.delete(location))
        guard answer.isSuccess || answer.code == "NoSuchKey" else { throw StoreFailure(answer) }
    }

    /// A stretch of a file as a request's body.
    private func body(
        of file: UploadFile, _ range: Range<Int64>, _ watch: StallWatch
    ) -> HTTPClientRequest.Body {
        .stream(
            FileStretch(path: file.path, range: range) { watch.moved() },
            length: .known(Int64(range.count)))
    }

    private func digest(
        of file: UploadFile, _ range: Range<Int64>
    ) async throws(StoreFailure) -> [UInt8] {
        do {
            return try await file.digest(range)
        } catch {
            throw StoreFailure(reason: "\(error)")
        }
    }

    // MARK: HTTP

    private func ask(
        _ request: StoreRequest, _ body: HTTPClientRequest.Body? = nil,
        watch: StallWatch = StallWatch()
    ) async throws(StoreFailure) -> StoreAnswer {
        let signed = access.signed(request, at: clock())
        var request = HTTPClientRequest(url: access.store.url(of: signed))
        request.method = HTTPMethod(rawValue: signed.method)
        request.headers.add(name: "Host", value: signed.host)
        for field in signed.headers { request.headers.add(name: field.name, value: field.value) }
        request.body = body
        do {
            return try await exchange(request, watch)
        } catch {
            throw StoreFailure(reason: "\(error)")
        }
    }

    /// The client's own timeouts count nothing while a store takes no bytes.
    private func exchange(
        _ request: HTTPClientRequest, _ watch: StallWatch
    ) async throws -> StoreAnswer {
        try await withThrowingTaskGroup(of: StoreAnswer.self) { group in
            group.addTask {
                let answer = try await client.execute(request, timeout: Self.requestMaximum)
                var body: [UInt8] = []
                for try await chunk in answer.body {
                    watch.moved()
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

extension StoreClient: LiveCourier {
    func put(_ file: UploadFile, cacheControl: String) async throws(StoreFailure) {
        let range = 0..<file.byteCount
        let digest = try await digest(of: file, range)
        let watch = StallWatch()
        let answer = try await ask(
            access.store.put(
                file.location, contentType: file.location.contentType,
                cacheControl: cacheControl, digest: digest),
            body(of: file, range, watch), watch: watch)
        guard answer.isSuccess else { throw StoreFailure(answer) }
    }

    func put(
        _ text: [UInt8], at location: ObjectLocation, cacheControl: String
    ) async throws(StoreFailure) {
        var digest = PartDigest()
        digest.update(text)
        let answer = try await ask(
            access.store.put(
                location, contentType: location.contentType, cacheControl: cacheControl,
                digest: digest.bytes),
            .bytes(text))
        guard answer.isSuccess else { throw StoreFailure(answer) }
    }
}

/// The connections to a store, for as long as the server runs.
struct StoreConnection: Service {
    /// Requests at a time: parts of assets, turns of live streams, and what is asked beside.
    static let connectionsMaximum =
        AssetUploads.filesMaximum * MultipartUpload.inFlightMaximum + LiveUploads.turnsMaximum + 2

    let client: HTTPClient

    init(timeout: Duration) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .nanoseconds(timeout.nanoseconds)))
        configuration.httpVersion = .http1Only
        // One that waits for a connection would count as one that the store does not answer.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            Self.connectionsMaximum
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func run() async throws {
        try? await gracefulShutdown()
        try? await client.shutdown()
    }
}

/// When something last moved between a store and us.
private final class StallWatch: Sendable {
    private let last = Mutex(MonotonicClock.now)

    func moved() { last.withLock { $0 = MonotonicClock.now } }

    /// Ends, by throwing, when nothing moved for so long.
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
