import AsyncHTTPClient
import Foundation
import MediaClient
import NIOCore
import NIOHTTP1
import RemoteRoom

/// Sends the requests of a `WHIPExchange`.
struct WHIPHTTP: Sendable {
    /// Until the head of a response.
    static let timeout: TimeAmount = .seconds(10)
    /// Until the end of its body.
    static let wholeTimeout: Duration = .seconds(15)

    private let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5)))
        configuration.decompression = .disabled
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func close() async { try? await client.shutdown() }

    func send(_ request: WHIPExchange.Request) async throws(RoomEnd) -> WHIPExchange.Response {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        message.headers.add(name: "User-Agent", value: "roomcast")
        if let bearer = request.bearer {
            message.headers.add(name: "Authorization", value: "Bearer \(bearer)")
        }
        if let body = request.body {
            message.headers.add(name: "Content-Type", value: "application/sdp")
            message.body = .bytes(ByteBuffer(string: body))
        }
        do {
            return try await Self.withTimeout { [client, message] in
                try await Self.answer(to: message, by: client)
            }
        } catch let end as RoomEnd {
            throw end
        } catch is NIOTooManyBytesError {
            throw .protocolViolation(
                "an answer of more than \(WHIPExchange.bodyBytesMaximum) bytes")
        } catch {
            throw .unreachable(NetworkFault.words(error))
        }
    }

    /// Sends a request in a task of its own, which the end of the caller's task does not cancel.
    func sending(
        _ request: WHIPExchange.Request
    ) -> Task<Result<WHIPExchange.Response, RoomEnd>, Never> {
        Task {
            do throws(RoomEnd) {
                return .success(try await send(request))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func answer(
        to message: HTTPClientRequest, by client: HTTPClient
    ) async throws -> WHIPExchange.Response {
        let response = try await client.execute(message, timeout: timeout)
        let body = try await response.body.collect(upTo: WHIPExchange.bodyBytesMaximum)
        return WHIPExchange.Response(
            status: Int(response.status.code),
            location: response.headers.first(name: "Location"),
            contentType: response.headers.first(name: "Content-Type"),
            retryAfter: response.headers.first(name: "Retry-After"),
            body: String(buffer: body))
    }

    /// The client's own timeout ends with the head of the response; a server may never end the body.
    private static func withTimeout<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: wholeTimeout)
                throw RoomEnd.unreachable("it does not answer")
            }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
