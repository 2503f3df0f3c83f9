public import AsyncHTTPClient
public import ClientConnections
internal import NIOCore

/// HTTP requests to servers that others run: no redirect is followed, nothing is decompressed, and
/// an answer has an end.
public struct HTTPExchange: Sendable {
    /// Until the end of an answer.
    public static let timeout: Duration = .seconds(15)

    private let client: HTTPClient

    /// - Parameter trust: nil for the client's own: the machine's authorities.
    public init(trust: ServerTrust? = nil) {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: trust.map { TLSClient.configuration($0) },
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5)))
        configuration.decompression = .disabled
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Afterwards nothing can be asked.
    public func close() async { try? await client.shutdown() }

    /// Throws `NIOTooManyBytesError` for a body that is too long, or the connection's error.
    ///
    /// - Parameter headTimeout: until the head of the answer.
    public func answer(
        to request: HTTPClientRequest, headTimeout: Duration = timeout, bytesMaximum: Int
    ) async throws -> (head: HTTPClientResponse, body: String) {
        try await withThrowingTaskGroup(of: (HTTPClientResponse, String).self) { group in
            defer { group.cancelAll() }
            group.addTask {
                let head = try await client.execute(request, timeout: TimeAmount(headTimeout))
                let body = try await head.body.collect(upTo: bytesMaximum)
                return (head, String(buffer: body))
            }
            // The client's own timeout ends with the head; a server may never end the body.
            group.addTask {
                try await Task.sleep(for: Self.timeout)
                throw HTTPClientError.deadlineExceeded
            }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
