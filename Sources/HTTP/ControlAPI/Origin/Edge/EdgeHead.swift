import HTTPTypes
import NIOCore

/// The head of an answer as HTTP/1.1 sends it, all but its date. It is made once for all viewers who
/// get the same answer.
struct EdgeHead: Sendable {
    /// Enough for the heads of files and playlists, with the date.
    private static let usualByteCount = 640

    private let bytes: ByteBuffer

    /// - Parameters:
    ///   - fields: with the body's length, if there is a body.
    init(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(Self.usualByteCount)
        bytes.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        // What has no body by its nature says nothing of a length. RFC 9110 sect. 8.6.
        let hasBody = status != .notModified && status != .noContent
        for field in fields where hasBody || field.name != .contentLength {
            bytes.writeString("\(field.name.rawName): \(field.value)\r\n")
        }
        if hasBody, !fields.contains(.contentLength) { bytes.writeString("Content-Length: 0\r\n") }
        bytes.writeString("Server: \(HTTPService.serverName)\r\n")
        self.bytes = bytes
    }

    /// - Parameter date: the last line, and the empty one behind it.
    func dated(_ date: ByteBuffer) -> ByteBuffer {
        var whole = ByteBuffer()
        whole.reserveCapacity(bytes.readableBytes + date.readableBytes)
        whole.writeImmutableBuffer(bytes)
        whole.writeImmutableBuffer(date)
        return whole
    }
}
