import Hummingbird
import NIOCore

/// A request's body, within its limit.
enum RequestBytes {
    /// - Parameter maximum: in bytes.
    /// - Throws: a 413 for a longer one, a 400 for one that breaks off.
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
            // What follows on the connection cannot be told from the body's rest.
            var error = APIError.badRequest("malformed body", "the body cannot be read")
            error.headers[.connection] = "close"
            throw error
        }
    }
}
