import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The body of a request whose sender waits to be told to go on (`Expect: 100-continue`, RFC 9110
/// sect. 10.1.1). It is told when somebody begins to read, so who refuses a request by its head
/// never has its body sent.
struct AwaitedBody: AsyncSequence, Sendable {
    let body: HummingbirdCore.RequestBody
    let ask: @Sendable () async throws -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: HummingbirdCore.RequestBody.AsyncIterator
        /// Nil once it was called.
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

    /// The request as it came, or with such a body. `HTTPConnectionGuard` takes the expectation from
    /// those that have none to wait for.
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
