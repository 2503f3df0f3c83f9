import HTTPTypes
import NIOCore

/// An answer from memory.
struct EdgeResponse: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    /// Shared by all viewers.
    let body: ByteBuffer
    /// Counts the body until it is sent.
    let hold: MemoryHold?
    private let prepared: EdgeHead?

    /// - Parameter isShared: whether many will get it, so that its head is made now.
    init(
        status: HTTPResponse.Status, headers: HTTPFields, body: ByteBuffer = ByteBuffer(),
        hold: MemoryHold? = nil, isShared: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.hold = hold
        prepared = isShared ? EdgeHead(status, headers) : nil
    }

    var head: EdgeHead { prepared ?? EdgeHead(status, headers) }
}

extension EdgeResponse {
    init(_ error: APIError) {
        let bytes = (try? JSON.data(error.body)).map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
        var headers = error.headers
        headers[.contentType] = "application/json; charset=utf-8"
        headers[.contentLength] = String(bytes.readableBytes)
        headers[.cacheControl] = "no-store"
        self.init(status: error.status, headers: headers, body: bytes)
    }
}
