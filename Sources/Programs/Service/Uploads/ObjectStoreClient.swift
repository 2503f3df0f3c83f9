import ObjectStorage

/// Why a request to a store failed.
struct StoreFailure: Error, Hashable, CustomStringConvertible {
    var kind: MultipartUpload.Failure
    /// The status of the response; nil if there was none.
    var status: Int?
    /// For the operator; contains no secrets.
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

/// Carries out the orders of uploads: over HTTP in the server, without it in tests.
protocol ObjectStoreClient: Sendable {
    /// - Returns: the upload's id.
    func create(_ file: UploadFile) async throws(StoreFailure) -> String

    func send(
        part: Int, of uploadID: String, _ file: UploadFile, _ range: Range<Int64>
    ) async throws(StoreFailure) -> MultipartUpload.Part

    func complete(
        _ uploadID: String, parts: [MultipartUpload.Part], _ file: UploadFile
    ) async throws(StoreFailure)

    /// Looks up the store's facts about the object.
    ///
    /// - Parameters:
    ///   - checksum: the expected checksum, from the parts.
    ///   - partBytes: the size of all parts but the last.
    /// - Returns: no length if there is no object; the expected checksum if another comparison
    ///   succeeded.
    func look(
        for file: UploadFile, checksum: String, partBytes: Int64
    ) async throws(StoreFailure) -> (byteCount: Int64?, checksum: String?)

    /// Aborts all incomplete uploads to this location.
    func abandonUploads(to location: ObjectLocation) async throws(StoreFailure)

    func delete(_ location: ObjectLocation) async throws(StoreFailure)
}

/// Uploads live streams to a store: over HTTP in the server, without it in tests.
protocol LiveStoreClient: Sendable {
    /// Puts a whole file.
    func put(_ file: UploadFile, cacheControl: String) async throws(StoreFailure)

    /// Puts a text; the location determines its content type.
    func put(
        _ text: [UInt8], at location: ObjectLocation, cacheControl: String
    ) async throws(StoreFailure)

    func delete(_ location: ObjectLocation) async throws(StoreFailure)
}
