import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The body of a request whose client waits for permission to send it (`Expect: 100-continue`, RFC
/// 9110 sect. 10.1.1). Permission is sent when reading begins, so a client whose request is refused
/// by its head never sends the body.
struct AwaitedBody: AsyncSequence, Sendable {
    let body: HummingbirdCore.RequestBody
    let ask: @Sendable () async throws -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: HummingbirdCore.RequestBody.AsyncIterator
        /// Nil after the call.
        var ask: (@Sendable () async throws -> Void)?

        mutating func next() async throws -> ByteBuffer? {
            if let ask {
                self.ask = nil
                try await ask()
            }
            return try await rest.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(rest: body.makeAsyncIterator(), ask: ask)
    }

    /// The request unchanged, or with such a body. `HTTPConnectionGuard` removes the expectation
    /// from requests that have nothing to wait for.
    static func asked(for request: Request, on channel: any Channel) -> Request {
        guard request.headers[.expect] != nil else { return request }
        var request = request
        request.body = HummingbirdCore.RequestBody(
            asyncSequence: AwaitedBody(body: request.body) {
                let answer = HTTPResponsePart.head(HTTPResponse(status: .continue))
                try await channel.writeAndFlush(answer)
            })
        return request
    }
}
