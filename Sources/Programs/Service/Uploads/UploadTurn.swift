import MediaKernel
import ObjectStorage

/// One turn of an upload: it lasts until the file is in the store, or a failure requires a pause. A
/// client carries out the orders of `MultipartUpload`.
struct UploadTurn: Sendable {
    enum Outcome: Hashable, Sendable {
        /// The store has confirmed the whole file.
        case finished
        case waits(until: UnixTime, reason: String)
        /// The server is stopping.
        case cancelled
    }

    fileprivate enum Fact: Sendable {
        case created(String)
        case sent(MultipartUpload.Part, to: String)
        case completed
        case found(byteCount: Int64?, checksum: String?)
        case failed(StoreFailure)
        case partFailed(StoreFailure, part: Int, of: String)
    }

    let file: UploadFile
    let client: any ObjectStoreClient
    let clock: @Sendable () -> UnixTime
    /// Saves progress.
    let save: @Sendable (MultipartUpload.Progress, Int64) async -> Void

    /// - Returns: the upload in its new state.
    func run(_ upload: MultipartUpload) async -> (MultipartUpload, Outcome) {
        var upload = upload
        var reason = ""
        await withTaskGroup(of: Fact.self) { group in
            var running = 0
            while true {
                let orders = Task.isCancelled ? [] : upload.next(at: clock())
                for order in orders {
                    let (checksum, partBytes) = (upload.checksum, upload.partBytes)
                    group.addTask { await carryOut(order, checksum, partBytes) }
                    running += 1
                }
                guard running > 0, let fact = await group.next() else { break }
                running -= 1
                let results = apply(fact, to: &upload)
                if let failure = fact.failure { reason = failure.reason }
                for case .save(let progress) in results {
                    await save(progress, upload.bytesSent)
                }
            }
        }
        if upload.isFinished { return (upload, .finished) }
        guard let due = upload.nextDueAt, !Task.isCancelled else { return (upload, .cancelled) }
        return (upload, .waits(until: due, reason: reason))
    }

    private func carryOut(
        _ order: MultipartUpload.Order, _ checksum: String, _ partBytes: Int64
    ) async -> Fact {
        do throws(StoreFailure) {
            switch order {
            case .create: return .created(try await client.create(file))
            case .send(let uploadID, let part, let offset, let count):
                return await send(part, of: uploadID, offset..<offset + Int64(count))
            case .complete(let uploadID, let parts):
                try await client.complete(uploadID, parts: parts, file)
                return .completed
            case .confirm:
                let found = try await client.look(
                    for: file, checksum: checksum, partBytes: partBytes)
                return .found(byteCount: found.byteCount, checksum: found.checksum)
            case .save, .finished:
                preconditionFailure("an upload orders nothing else when it is asked what to do")
            }
        } catch {
            return .failed(error)
        }
    }

    private func send(_ part: Int, of uploadID: String, _ range: Range<Int64>) async -> Fact {
        do throws(StoreFailure) {
            return .sent(
                try await client.send(part: part, of: uploadID, file, range), to: uploadID)
        } catch {
            return .partFailed(error, part: part, of: uploadID)
        }
    }

    private func apply(
        _ fact: Fact, to upload: inout MultipartUpload
    ) -> [MultipartUpload.Order] {
        let now = clock()
        switch fact {
        case .created(let uploadID): return upload.created(uploadID)
        case .sent(let part, let uploadID): return upload.sent(part, to: uploadID)
        case .completed: return upload.completed()
        case .found(let byteCount, let checksum):
            return upload.confirmed(byteCount: byteCount, checksum: checksum, at: now)
        case .failed(let failure): return upload.failed(failure.kind, at: now)
        case .partFailed(let failure, let part, let uploadID):
            return upload.failed(failure.kind, part: part, of: uploadID, at: now)
        }
    }
}

extension UploadTurn.Fact {
    /// An object in the store that differs from the file counts as a failure too.
    fileprivate var failure: StoreFailure? {
        switch self {
        case .failed(let failure), .partFailed(let failure, _, _): failure
        case .found: StoreFailure(reason: "the store does not have it as it was sent")
        case .created, .sent, .completed: nil
        }
    }
}
