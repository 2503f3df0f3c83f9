import Clocks
import Digests
import Foundation
import Logging
import MediaKernel
import ObjectStorage
import Synchronization

/// The features that the store turned out to lack, for the lifetime of the server. All its clients
/// share one instance.
final class StoreManners: Sendable {
    private let refusesChecksums = Mutex(false)

    /// The store, adapted for requests.
    func applied(to store: ObjectStore) -> ObjectStore {
        var store = store
        if refusesChecksums.withLock({ $0 }) { store.takesChecksums = false }
        return store
    }

    /// - Returns: whether this was not yet known.
    func leaveOutChecksums() -> Bool {
        refusesChecksums.withLock { known in
            defer { known = true }
            return !known
        }
    }
}

/// Sends requests to a store over a line. Bodies are read from the disk while they are sent.
struct StoreClient: ObjectStoreClient {
    let access: StoreAccess
    let line: any StoreLine
    let manners: StoreManners
    let logger: Logger
    var clock: @Sendable () -> UnixTime = { UnixTime.now }

    func create(_ file: UploadFile) async throws(StoreFailure) -> String {
        // An earlier upload whose response was lost, or whose file was replaced, would be stored
        // and billed.
        try await abandonUploads(to: file.location)
        let answer = try await ask {
            ($0.create(file.location, contentType: file.location.contentType), .none)
        }
        guard answer.isSuccess, let uploadID = answer.uploadID else { throw StoreFailure(answer) }
        return uploadID
    }

    func send(
        part: Int, of uploadID: String, _ file: UploadFile, _ range: Range<Int64>
    ) async throws(StoreFailure) -> MultipartUpload.Part {
        let digest = try await digest(of: file, range)
        let answer = try await ask {
            (
                $0.send(part: part, of: uploadID, to: file.location, digest: digest),
                .file(file, range)
            )
        }
        guard answer.isSuccess, let entityTag = answer.header("etag") else {
            throw StoreFailure(answer)
        }
        return MultipartUpload.Part(number: part, entityTag: entityTag, digest: digest)
    }

    func complete(
        _ uploadID: String, parts: [MultipartUpload.Part], _ file: UploadFile
    ) async throws(StoreFailure) {
        let answer = try await ask {
            let (request, body) = $0.complete(uploadID, parts: parts, at: file.location)
            return (request, .bytes(body))
        }
        guard answer.isSuccess else { throw StoreFailure(answer) }
    }

    func look(
        for file: UploadFile, checksum expected: String, partBytes: Int64
    ) async throws(StoreFailure) -> (byteCount: Int64?, checksum: String?) {
        let answer = try await ask { ($0.head(file.location), .none) }
        if answer.status == 404 { return (nil, nil) }
        guard answer.isSuccess, let length = answer.header("content-length").flatMap({ Int64($0) })
        else { throw StoreFailure(answer) }
        guard let checksum = answer.header("x-amz-checksum-sha256") else {
            guard length == file.byteCount else { return (length, nil) }
            let isThere = try await isStored(
                file, partBytes: partBytes, tag: answer.header("etag") ?? "")
            return (length, isThere ? expected : "none")
        }
        // Some stores omit the number of parts.
        if checksum == expected || expected.hasPrefix("\(checksum)-") { return (length, expected) }
        guard !checksum.contains("-") else { return (length, checksum) }
        // Some stores return a checksum of the whole object instead of the parts' checksums.
        let whole = try await digest(of: file, 0..<file.byteCount)
        return (length, Data(whole).base64EncodedString() == checksum ? expected : checksum)
    }

    /// For stores that keep no checksums: compares the entity tag, or else downloads the object.
    private func isStored(
        _ file: UploadFile, partBytes: Int64, tag: String
    ) async throws(StoreFailure) -> Bool {
        do {
            if try await file.partsTag(partBytes: partBytes).matches(tag) { return true }
        } catch {
            throw StoreFailure(reason: "\(error)")
        }
        let read = StoreReading()
        let answer = try await ask(into: read) { ($0.get(file.location), .none) }
        guard answer.isSuccess else { throw StoreFailure(answer) }
        let digest = try await digest(of: file, 0..<file.byteCount)
        return read.byteCount == file.byteCount && read.digest == digest
    }

    func abandonUploads(to location: ObjectLocation) async throws(StoreFailure) {
        let answer = try await ask { ($0.uploads(to: location), .none) }
        guard answer.isSuccess else {
            // Listing may be forbidden or unsupported; then a rule of the bucket must do the
            // clean-up.
            if (400..<500).contains(answer.status) || answer.status == 501 { return }
            throw StoreFailure(answer)
        }
        for uploadID in answer.uploadIDs(to: location.key) {
            let answer = try await ask { ($0.abort(uploadID, at: location), .none) }
            guard answer.isSuccess || answer.status == 404 else { throw StoreFailure(answer) }
        }
    }

    func delete(_ location: ObjectLocation) async throws(StoreFailure) {
        let answer = try await ask { ($0.delete(location), .none) }
        guard answer.isSuccess || answer.code == "NoSuchKey" else { throw StoreFailure(answer) }
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

    /// Retries without checksums if the store may not accept them, and leaves them out from then on
    /// if that helps.
    ///
    /// - Parameter reading: takes the body of a successful response.
    private func ask(
        into reading: StoreReading? = nil, _ make: (ObjectStore) -> (StoreRequest, StoreBody)
    ) async throws(StoreFailure) -> StoreAnswer {
        var store = manners.applied(to: access.store)
        let first = make(store)
        let answer = try await exchange(first, reading)
        guard store.takesChecksums, answer.mayRefuseChecksums else { return answer }
        store.takesChecksums = false
        let plain = make(store)
        guard plain.0 != first.0 else { return answer }
        let second = try await exchange(plain, reading)
        guard !second.mayRefuseChecksums else { return answer }
        if second.isSuccess || second.status == 404, manners.leaveOutChecksums() {
            logger.notice(
                "the store takes no checksums, and gets none any more",
                metadata: [
                    "store": "\(access.store.authority)", "reason": "\(answer.reason)",
                ])
        }
        return second
    }

    private func exchange(
        _ asked: (request: StoreRequest, body: StoreBody), _ reading: StoreReading?
    ) async throws(StoreFailure) -> StoreAnswer {
        let signed = access.signed(asked.request, at: clock())
        return try await line.exchange(
            signed, at: access.store.url(of: signed), asked.body, into: reading)
    }
}

extension StoreClient: LiveStoreClient {
    func put(_ file: UploadFile, cacheControl: String) async throws(StoreFailure) {
        let range = 0..<file.byteCount
        let digest = try await digest(of: file, range)
        let answer = try await ask {
            (
                $0.put(
                    file.location, contentType: file.location.contentType,
                    cacheControl: cacheControl, digest: digest),
                .file(file, range)
            )
        }
        guard answer.isSuccess else { throw StoreFailure(answer) }
    }

    func put(
        _ text: [UInt8], at location: ObjectLocation, cacheControl: String
    ) async throws(StoreFailure) {
        let answer = try await ask {
            (
                $0.put(
                    location, contentType: location.contentType, cacheControl: cacheControl,
                    digest: Digest.sha256.hash(text)),
                .bytes(text)
            )
        }
        guard answer.isSuccess else { throw StoreFailure(answer) }
    }
}
