import Digests
import Foundation
import Logging
import MediaKernel
import ObjectStorage
import Synchronization
import Testing
import Workbench

@testable import Service

/// A store without support for `x-amz-checksum-*`.
private final class PlainStore: StoreLine {
    struct State {
        var requests: [StoreRequest] = []
        var parts: [Int: [UInt8]] = [:]
        var object: [UInt8]?
    }

    let state = Mutex(State())
    let refusal: StoreAnswer
    /// Nil for one that reports nothing about the object's contents.
    let givesTag: Bool

    init(refusal: StoreAnswer, givesTag: Bool = true) {
        self.refusal = refusal
        self.givesTag = givesTag
    }

    func exchange(
        _ request: StoreRequest, at url: String, _ body: StoreBody, into reading: StoreReading?
    ) async throws(StoreFailure) -> StoreAnswer {
        var bytes: [UInt8] = []
        switch body {
        case .none: break
        case .bytes(let given): bytes = given
        case .file(let file, let range):
            guard let data = FileManager.default.contents(atPath: file.path) else {
                throw StoreFailure(reason: "unreadable")
            }
            bytes = Array(data[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        let hash = Hexadecimal.text(Digest.sha256.hash(bytes))
        guard request.payloadHash == hash else { return StoreAnswer(status: 400) }
        let isHead = request.method == "HEAD"
        return state.withLock { state in
            state.requests.append(request)
            let text = String(decoding: bytes, as: UTF8.self)
            if request.headers.contains(where: { $0.name.hasPrefix("x-amz-checksum-") })
                || text.contains("<ChecksumSHA256>")
            {
                return isHead ? StoreAnswer(status: refusal.status) : refusal
            }
            return answer(request, bytes, reading, &state)
        }
    }

    private func answer(
        _ request: StoreRequest, _ bytes: [UInt8], _ reading: StoreReading?, _ state: inout State
    ) -> StoreAnswer {
        let part = request.query.first { $0.name == "partNumber" }.flatMap { Int($0.value) }
        switch (request.method, part) {
        case ("GET", _) where request.query.contains { $0.name == "uploads" }:
            return StoreAnswer(status: 501)
        case ("POST", _) where request.query.contains { $0.name == "uploads" }:
            return StoreAnswer(status: 200, body: Array("<R><UploadId>u</UploadId></R>".utf8))
        case ("POST", _):
            state.object = state.parts.sorted { $0.key < $1.key }.reduce(into: []) {
                $0 += $1.value
            }
            return StoreAnswer(status: 200)
        case ("PUT", let part?):
            state.parts[part] = bytes
            return StoreAnswer(status: 200, headers: [.init("ETag", "\"\(part)\"")])
        case ("PUT", nil):
            state.object = bytes
            return StoreAnswer(status: 200)
        case ("HEAD", _):
            guard let object = state.object else { return StoreAnswer(status: 404) }
            let tags = state.parts.sorted { $0.key < $1.key }
                .flatMap { Digest.md5.hash($0.value) }
            let tag = Hexadecimal.text(Digest.md5.hash(tags))
            let shown = givesTag ? "\"\(tag)-\(state.parts.count)\"" : "\"0x8DC\""
            return StoreAnswer(
                status: 200,
                headers: [
                    .init("Content-Length", String(object.count)), .init("ETag", shown),
                ])
        default:
            reading?.take(state.object ?? [])
            return StoreAnswer(status: 200)
        }
    }

    func count(_ isCounted: (StoreRequest) -> Bool) -> Int {
        state.withLock { $0.requests.filter(isCounted).count }
    }

    /// Requests with a checksum.
    var refused: Int { count { $0.headers.contains { $0.name.hasPrefix("x-amz-checksum") } } }
    /// Reads of the whole object.
    var reads: Int { count { $0.method == "GET" && $0.query.isEmpty } }
}

@Suite struct StoreClientTests {
    private static let now = UnixTime(seconds: 1_770_000_000)
    private let scratch: Scratch
    private let file: UploadFile

    init() throws {
        scratch = try Scratch()
        // Two different parts.
        let bytes = Data(repeating: 7, count: 5 << 20) + Data([1, 2, 3])
        let path = "\(scratch.path)/a.mp4"
        try bytes.write(to: URL(fileURLWithPath: path))
        file = UploadFile(
            path: path, location: ObjectLocation(bucket: "b", key: "a.mp4"),
            byteCount: Int64(bytes.count))
    }

    private func client(_ line: any StoreLine, _ manners: StoreManners) -> StoreClient {
        let store = ObjectStore(
            isTLS: true, authority: "store", region: "r", addressing: .path, bucket: "b")
        let access = StoreAccess(store: store) {
            AWSCredentials(accessKeyID: "a", secretAccessKey: "s")
        }
        return StoreClient(
            access: access, line: line, manners: manners,
            logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }, clock: { Self.now })
    }

    private func upload(_ client: StoreClient) async -> UploadTurn.Outcome {
        let turn = UploadTurn(
            file: file, client: client, clock: { Self.now }, save: { _, _ in })
        return await turn.run(
            MultipartUpload(byteCount: file.byteCount, partBytes: 5 << 20, seed: 1)
        ).1
    }

    private static func error(_ status: Int, _ code: String, _ message: String) -> StoreAnswer {
        StoreAnswer(
            status: status,
            body: Array(
                "<Error><Code>\(code)</Code><Message>\(message)</Message></Error>".utf8))
    }

    @Test(arguments: [
        error(400, "InvalidArgument", "Unsupported header 'x-amz-checksum-algorithm'"),
        error(501, "NotImplemented", "Header 'x-amz-checksum-algorithm' is not implemented"),
        StoreAnswer(status: 501),
    ]) func aStoreThatTakesNoChecksumsGetsNone(refusal: StoreAnswer) async throws {
        let (store, manners) = (PlainStore(refusal: refusal), StoreManners())
        let client = client(store, manners)
        #expect(await upload(client) == .finished)
        #expect(store.state.withLock { $0.object?.count } == Int(file.byteCount))
        // Once; the client remembers it for the store, for all requests.
        #expect(store.refused == 1 && store.reads == 0)
        try await self.client(store, manners).put(
            file, cacheControl: "no-cache")
        #expect(store.refused == 1)
    }

    @Test func whatNoTagTellsIsReadAgain() async throws {
        let store = PlainStore(
            refusal: Self.error(400, "InvalidArgument", "no"), givesTag: false)
        #expect(await upload(client(store, StoreManners())) == .finished)
        #expect(store.reads == 1)
        // For another object of the same length it proves nothing.
        store.state.withLock { $0.object?[77] ^= 1 }
        let found = try await client(store, StoreManners()).look(
            for: file, checksum: "c", partBytes: 5 << 20)
        #expect(found.byteCount == file.byteCount && found.checksum != "c")
    }

    @Test func whatIsRefusedForAnotherReasonIsNoHabit() async throws {
        struct Refuser: StoreLine {
            let answer: StoreAnswer
            func exchange(
                _ request: StoreRequest, at url: String, _ body: StoreBody,
                into reading: StoreReading?
            ) async throws(StoreFailure) -> StoreAnswer { answer }
        }
        for (answer, reason) in [
            (Self.error(400, "InvalidArgument", "of a part"), "400 InvalidArgument: of a part"),
            (Self.error(403, "AccessDenied", "read-only"), "403 AccessDenied: read-only"),
            (Self.error(400, "RequestTimeout", "slow"), "400 RequestTimeout: slow"),
            // Bytes were damaged on their way, and the checksum has shown it.
            (Self.error(400, "BadDigest", "not its checksum"), "400 BadDigest: not its checksum"),
        ] {
            let client = client(Refuser(answer: answer), StoreManners())
            let failure = StoreFailure(.unavailable, status: answer.status, reason: reason)
            await #expect(throws: failure) {
                try await client.put([1], at: file.location, cacheControl: "no-cache")
            }
            #expect(client.manners.applied(to: client.access.store).takesChecksums)
        }
    }
}
