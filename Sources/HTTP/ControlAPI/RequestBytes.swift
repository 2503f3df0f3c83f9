import Hummingbird
import NIOCore

/// A request's body, within its limit.
enum RequestBytes {
    /// - Parameter maximum: in bytes.
    /// - Throws: a 413 for a body that is too long, a 400 for one that breaks off.
    static func read(_ request: Request, maximum: Int) async throws(APIError) -> ByteBuffer {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }),
            length > maximum
        {
            throw .tooLarge(maximum: maximum)
        }
        do {
            return try await request.body.collect(upTo: maximum)
        } catch is NIOTooManyBytesError {
            throw .tooLarge(maximum: maximum)
        } catch {
            // The next bytes on the connection cannot be told from the rest of the body.
            var error = APIError.badRequest("malformed body", "the body cannot be read")
            error.headers[.connection] = "close"
            throw error
        }
    }
}
