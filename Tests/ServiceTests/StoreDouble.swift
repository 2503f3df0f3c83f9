import Digests
import Foundation
import MediaKernel
import ObjectStorage
import Synchronization

@testable import Service

/// A store in memory that fails on demand.
final class StoreDouble: ObjectStoreClient {
    struct State {
        var uploads: [String: (location: ObjectLocation, parts: [Int: [UInt8]])] = [:]
        var objects: [ObjectLocation: [UInt8]] = [:]
        var count = 0
        var log: [String] = []
        /// Called with each operation: whether it fails, and whether it is carried out
        /// nevertheless.
        var fails: @Sendable (String) -> (fails: Bool, isDone: Bool) = { _ in (false, false) }
        /// Whether this object is refused.
        var refuses: @Sendable (ObjectLocation) -> Bool = { _ in false }
        /// Whether this object cannot be deleted.
        var keeps: @Sendable (ObjectLocation) -> Bool = { _ in false }
    }

    let state = Mutex(State())

    func fail(_ rule: @escaping @Sendable (String) -> (fails: Bool, isDone: Bool)) {
        state.withLock { $0.fails = rule }
    }

    func refuse(_ rule: @escaping @Sendable (ObjectLocation) -> Bool) {
        state.withLock { $0.refuses = rule }
    }

    func keep(_ rule: @escaping @Sendable (ObjectLocation) -> Bool) {
        state.withLock { $0.keeps = rule }
    }

    var log: [String] { state.withLock { $0.log } }
    var objects: [ObjectLocation: [UInt8]] { state.withLock { $0.objects } }
    var uploads: Int { state.withLock { $0.uploads.count } }

    private func ask<Value: Sendable>(
        _ name: String, _ body: (inout State) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        let outcome = state.withLock { state -> Result<Value, StoreFailure> in
            state.log.append(name)
            let (fails, isDone) = state.fails(name)
            guard !fails || isDone else { return .failure(StoreFailure(reason: "503 SlowDown")) }
            let result = Result { () throws(StoreFailure) in try body(&state) }
            return fails ? .failure(StoreFailure(reason: "no answer")) : result
        }
        return try outcome.get()
    }

    func create(_ file: UploadFile) async throws(StoreFailure) -> String {
        try ask("create") { (state) throws(StoreFailure) in
            guard !state.refuses(file.location) else {
                throw StoreFailure(reason: "503 SlowDown")
            }
            state.uploads = state.uploads.filter { $0.value.location != file.location }
            state.count += 1
            state.uploads["u\(state.count)"] = (file.location, [:])
            return "u\(state.count)"
        }
    }

    func send(
        part: Int, of uploadID: String, _ file: UploadFile, _ range: Range<Int64>
    ) async throws(StoreFailure) -> MultipartUpload.Part {
        var bytes: [UInt8] = []
        do {
            _ = try await file.digest(range)
            let data = FileManager.default.contents(atPath: file.path) ?? Data()
            bytes = Array(data[Int(range.lowerBound)..<Int(range.upperBound)])
        } catch {
            throw StoreFailure(reason: "\(error)")
        }
        let content = bytes
        return try ask("send \(part)") { (state) throws(StoreFailure) in
            guard state.uploads[uploadID] != nil else {
                throw StoreFailure(.uploadGone, status: 404, reason: "404 NoSuchUpload")
            }
            state.uploads[uploadID]?.parts[part] = content
            return MultipartUpload.Part(
                number: part, entityTag: "t", digest: Self.digest(content))
        }
    }

    func complete(
        _ uploadID: String, parts: [MultipartUpload.Part], _ file: UploadFile
    ) async throws(StoreFailure) {
        try ask("complete") { (state) throws(StoreFailure) in
            guard let upload = state.uploads[uploadID] else {
                throw StoreFailure(.uploadGone, status: 404, reason: "404 NoSuchUpload")
            }
            guard parts.allSatisfy({ upload.parts[$0.number].map(Self.digest) == $0.digest }) else {
                throw StoreFailure(.partsRefused, status: 400, reason: "400 InvalidPart")
            }
            state.objects[file.location] = parts.flatMap { upload.parts[$0.number] ?? [] }
            state.uploads[uploadID] = nil
        }
    }

    func look(
        for file: UploadFile, checksum: String, partBytes: Int64
    ) async throws(StoreFailure) -> (byteCount: Int64?, checksum: String?) {
        try ask("look") { (state) throws(StoreFailure) in
            (state.objects[file.location].map { Int64($0.count) }, nil)
        }
    }

    func abandonUploads(to location: ObjectLocation) async throws(StoreFailure) {
        try ask("abandon") { (state) throws(StoreFailure) in
            state.uploads = state.uploads.filter { $0.value.location != location }
        }
    }

    func delete(_ location: ObjectLocation) async throws(StoreFailure) {
        try ask("delete") { (state) throws(StoreFailure) in
            guard !state.keeps(location) else {
                throw StoreFailure(status: 403, reason: "403 AccessDenied")
            }
            state.objects[location] = nil
        }
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] { Digest.sha256.hash(bytes) }
}
