import ObjectStorage

/// Why a request to a store came to nothing.
struct StoreFailure: Error, Hashable, CustomStringConvertible {
    var kind: MultipartUpload.Failure
    /// Of the answer; nil when there was none.
    var status: Int?
    /// For the operator, without secrets.
    var reason: String

    init(_ kind: MultipartUpload.Failure = .unavailable, status: Int? = nil, reason: String) {
        self.kind = kind
        self.status = status
        self.reason = reason
    }

    init(_ answer: StoreAnswer) {
        self.init(answer.failure, status: answer.status, reason: answer.reason)
    }

    var description: String { reason }
}

/// Carries out what uploads order. The server does it over HTTP, tests without.
protocol ObjectStoreClient: Sendable {
    /// - Returns: the upload's id.
    func create(_ file: UploadFile) async throws(StoreFailure) -> String

    func send(
        part: Int, of uploadID: String, _ file: UploadFile, _ range: Range<Int64>
    ) async throws(StoreFailure) -> MultipartUpload.Part

    func complete(
        _ uploadID: String, parts: [MultipartUpload.Part], _ file: UploadFile
    ) async throws(StoreFailure)

    /// What the store says of the object.
    ///
    /// - Parameters:
    ///   - checksum: that its parts give.
    ///   - partBytes: of all parts but the last.
    /// - Returns: no length when there is no object; the same checksum when what is there was
    ///   compared in another way.
    func look(
        for file: UploadFile, checksum: String, partBytes: Int64
    ) async throws(StoreFailure) -> (byteCount: Int64?, checksum: String?)

    /// Ends all uploads to this place that were begun and not completed.
    func abandonUploads(to location: ObjectLocation) async throws(StoreFailure)

    func delete(_ location: ObjectLocation) async throws(StoreFailure)
}

/// Carries live streams into a store. The server does it over HTTP, tests without.
protocol LiveCourier: Sendable {
    /// Puts a whole file there.
    func put(_ file: UploadFile, cacheControl: String) async throws(StoreFailure)

    /// Puts a text there, whose kind its location says.
    func put(
        _ text: [UInt8], at location: ObjectLocation, cacheControl: String
    ) async throws(StoreFailure)

    func delete(_ location: ObjectLocation) async throws(StoreFailure)
}
