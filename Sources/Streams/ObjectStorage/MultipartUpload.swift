import Digests
public import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The upload of one local file, however long it takes. Facts in, orders out; no network or disk
/// access.
///
/// ```
///             created          all parts sent         completed          confirmed
///  beginning ─────────► sending ────────────► completing ───────► confirming ────────► finished
///      ▲                   │ upload is gone       │ upload is gone ──► │
///      └───────────────────┴─────────────────────── not as it was sent ┘
/// ```
/// Invariants: the file may be removed only after `.finished`, which comes only after the store has
/// confirmed the object's length and bytes; after a failure there are no orders until the back-off
/// is over; each fact may be repeated without harm; the last `.save` is enough to resume after a
/// restart, with the parts already sent.
public struct MultipartUpload: Sendable {
    /// A part that the store has accepted.
    public struct Part: Hashable, Sendable, Codable {
        /// From 1.
        public var number: Int
        public var entityTag: String
        /// SHA-256 of the part's bytes; the request's signature covered it.
        public var digest: [UInt8]

        public init(number: Int, entityTag: String, digest: [UInt8]) {
            self.number = number
            self.entityTag = entityTag
            self.digest = digest
        }
    }

    /// The state that must outlive the process.
    public struct Progress: Hashable, Sendable, Codable {
        /// The store's id of the upload; nil before the store has assigned one.
        public var uploadID: String?
        public var parts: [Part]
        /// The size of all parts but the last; nil without an upload. An upload keeps its part size
        /// even if the setting changes.
        public var partBytes: Int64?

        public init(uploadID: String? = nil, parts: [Part] = [], partBytes: Int64? = nil) {
            self.uploadID = uploadID
            self.parts = parts
            self.partBytes = partBytes
        }
    }

    /// Every transition returns orders, to be carried out in this sequence.
    public enum Order: Hashable, Sendable {
        /// CreateMultipartUpload, with SHA-256 as checksum algorithm.
        case create
        /// UploadPart: these bytes of the file.
        case send(uploadID: String, part: Int, offset: Int64, count: Int)
        /// CompleteMultipartUpload.
        case complete(uploadID: String, parts: [Part])
        /// HeadObject with checksums.
        case confirm
        /// Write this down.
        case save(Progress)
        /// The object is in the store.
        case finished
    }

    public enum Failure: Hashable, Sendable {
        /// No answer, 5xx, or too many requests; also a refusal that an operator can resolve.
        case unavailable
        /// The store does not know the upload (404).
        case uploadGone
        /// The store lacks parts to be assembled (400, InvalidPart).
        case partsRefused
    }

    /// S3's minimum for all parts but the last, and its maximum.
    public static let partSizes: ClosedRange<Int64> = 5 << 20...5 << 30
    /// A compromise between the bytes to resend when a part fails and the requests per file.
    public static let partBytesStandard: Int64 = 8 << 20
    /// S3's limit.
    public static let partsMaximum: Int64 = 10_000
    /// Parts in flight: enough to saturate the connection, few enough to hold in memory.
    public static let inFlightMaximum = 3
    public static let firstDelay: Duration = .seconds(1)
    public static let delayMaximum: Duration = .seconds(60)

    private enum Phase: Hashable {
        case beginning
        case sending(uploadID: String)
        case completing(uploadID: String)
        case confirming(uploadID: String)
        case finished(uploadID: String)
    }

    /// The size of the file.
    public let byteCount: Int64
    public let partBytes: Int64
    private var phase: Phase
    private var parts: [Int: Part]
    private var inFlight: Set<Int> = []
    /// Whether an order other than `send` is being carried out.
    private var isAsking = false
    private var pause: RetryPause

    /// - Parameters:
    ///   - partBytes: the wanted size, increased if the file would have too many parts.
    ///   - progress: saved by an earlier process.
    ///   - delayMaximum: the longest pause between two attempts.
    ///   - seed: for the random part of the pauses.
    public init(
        byteCount: Int64, partBytes wanted: Int64 = Self.partBytesStandard,
        progress: Progress = Progress(), delayMaximum: Duration = Self.delayMaximum, seed: UInt64
    ) {
        precondition(byteCount > 0, "an asset has bytes")
        self.byteCount = byteCount
        let mebibyte: Int64 = 1 << 20
        let least = (byteCount + Self.partsMaximum - 1) / Self.partsMaximum
        let standard = max(wanted, (least + mebibyte - 1) / mebibyte * mebibyte)
        let begun = progress.partBytes ?? standard
        partBytes = Self.partSizes.contains(begun) ? begun : standard
        pause = RetryPause(first: Self.firstDelay, maximum: delayMaximum, seed: seed)
        guard let uploadID = progress.uploadID, begun == partBytes else {
            phase = .beginning
            parts = [:]
            return
        }
        phase = .sending(uploadID: uploadID)
        let numbers = 1...Int((byteCount + partBytes - 1) / partBytes)
        parts = Dictionary(
            progress.parts.filter { numbers.contains($0.number) }.map { ($0.number, $0) }
        ) { $1 }
    }

    public var isFinished: Bool {
        if case .finished = phase { true } else { false }
    }
    /// The number of bytes that the store has accepted.
    public var bytesSent: Int64 { parts.keys.reduce(0) { $0 + Int64(count(ofPart: $1)) } }
    /// When `next` is due, unless a fact arrives first.
    public var nextDueAt: UnixTime? { isFinished ? nil : pause.until }

    private var partCount: Int { Int((byteCount + partBytes - 1) / partBytes) }

    private func count(ofPart number: Int) -> Int {
        Int(min(partBytes, byteCount - Int64(number - 1) * partBytes))
    }

    /// The store's checksum of an object that consists of these parts: the digest of their digests,
    /// followed by the number of parts.
    public var checksum: String {
        let digests = parts.values.sorted { $0.number < $1.number }.flatMap(\.digest)
        return "\(Data(Digest.sha256.hash(digests)).base64EncodedString())-\(partCount)"
    }

    // MARK: Transitions

    /// The orders that are due now.
    public mutating func next(at now: UnixTime) -> [Order] {
        guard pause.isOver(at: now), !isAsking else { return [] }
        switch phase {
        case .beginning:
            isAsking = true
            return [.create]
        case .sending(let uploadID):
            return sendMore(uploadID)
        case .completing(let uploadID):
            isAsking = true
            return [
                .complete(uploadID: uploadID, parts: parts.values.sorted { $0.number < $1.number })
            ]
        case .confirming:
            isAsking = true
            return [.confirm]
        case .finished:
            return []
        }
    }

    private mutating func sendMore(_ uploadID: String) -> [Order] {
        if parts.count == partCount {
            phase = .completing(uploadID: uploadID)
            isAsking = true
            return [
                .complete(uploadID: uploadID, parts: parts.values.sorted { $0.number < $1.number })
            ]
        }
        var orders: [Order] = []
        for number in 1...partCount where parts[number] == nil && !inFlight.contains(number) {
            guard orders.count + inFlight.count < Self.inFlightMaximum else { break }
            orders.append(
                .send(
                    uploadID: uploadID, part: number, offset: Int64(number - 1) * partBytes,
                    count: count(ofPart: number)))
        }
        for case .send(_, let number, _, _) in orders { inFlight.insert(number) }
        return orders
    }

    public mutating func created(_ uploadID: String) -> [Order] {
        guard phase == .beginning else { return [] }
        isAsking = false
        pause.succeeded()
        phase = .sending(uploadID: uploadID)
        return [.save(progress(uploadID))]
    }

    /// - Parameter upload: the upload that the part was sent to; answers of earlier uploads are
    ///   ignored.
    public mutating func sent(_ part: Part, to upload: String) -> [Order] {
        guard case .sending(let uploadID) = phase, uploadID == upload,
            inFlight.remove(part.number) != nil
        else { return [] }
        pause.succeeded()
        parts[part.number] = part
        return [.save(progress(uploadID))]
    }

    public mutating func completed() -> [Order] {
        guard case .completing(let uploadID) = phase else { return [] }
        isAsking = false
        pause.succeeded()
        phase = .confirming(uploadID: uploadID)
        return []
    }

    /// Takes the store's answer about the object.
    ///
    /// - Parameters:
    ///   - byteCount: nil if the object does not exist.
    ///   - checksum: nil if it was not compared; then the signed digests of the parts suffice.
    public mutating func confirmed(
        byteCount: Int64?, checksum: String?, at now: UnixTime
    ) -> [Order] {
        guard case .confirming(let uploadID) = phase, isAsking else { return [] }
        isAsking = false
        guard byteCount == self.byteCount, checksum == nil || checksum == self.checksum else {
            return beginAnew(at: now)
        }
        phase = .finished(uploadID: uploadID)
        return [.finished]
    }

    /// An order other than `send` has failed.
    public mutating func failed(_ failure: Failure, at now: UnixTime) -> [Order] {
        guard isAsking else { return [] }
        isAsking = false
        guard case .completing(let uploadID) = phase else {
            pause.failed(at: now)
            return []
        }
        switch failure {
        case .unavailable:
            pause.failed(at: now)
            return []
        case .uploadGone:
            // The upload may have completed, with only the answer lost.
            pause.failed(at: now)
            phase = .confirming(uploadID: uploadID)
            return []
        case .partsRefused:
            return beginAnew(at: now)
        }
    }

    /// A part could not be sent.
    public mutating func failed(
        _ failure: Failure, part: Int, of upload: String, at now: UnixTime
    ) -> [Order] {
        guard case .sending(let uploadID) = phase, uploadID == upload,
            inFlight.remove(part) != nil
        else { return [] }
        switch failure {
        case .unavailable:
            pause.failed(at: now)
            return []
        case .uploadGone, .partsRefused:
            return beginAnew(at: now)
        }
    }

    private mutating func beginAnew(at now: UnixTime) -> [Order] {
        phase = .beginning
        parts = [:]
        inFlight = []
        pause.failed(at: now)
        return [.save(Progress())]
    }

    /// The progress to save at this moment. It names the upload even after completion: a resumed
    /// upload then learns that the upload is gone, and looks for the object.
    public var progress: Progress {
        switch phase {
        case .beginning: Progress()
        case .sending(let uploadID), .completing(let uploadID), .confirming(let uploadID),
            .finished(let uploadID):
            progress(uploadID)
        }
    }

    private func progress(_ uploadID: String) -> Progress {
        Progress(
            uploadID: uploadID, parts: parts.values.sorted { $0.number < $1.number },
            partBytes: partBytes)
    }
}
