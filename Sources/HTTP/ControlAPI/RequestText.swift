import Hummingbird
import NIOCore

/// A request's body as text.
enum RequestText {
    /// - Parameter maximum: in bytes.
    /// - Throws: a 413 for a body that is too long, a 400 for one that is not UTF-8.
    static func read(_ request: Request, maximum: Int) async throws(APIError) -> String {
        let buffer = try await RequestBytes.read(request, maximum: maximum)
        guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
            throw .badRequest("malformed body", "the body is not UTF-8")
        }
        return text
    }
}
