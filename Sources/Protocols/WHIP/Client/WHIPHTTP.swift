import AsyncHTTPClient
import Foundation
import MediaClient
import NIOCore
import NIOHTTP1
import RemoteRoom

/// Sends the requests of a `WHIPExchange`.
struct WHIPHTTP: Sendable {
    static let timeout: TimeAmount = .seconds(10)

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
            let response = try await client.execute(message, timeout: Self.timeout)
            let body = try await response.body.collect(upTo: WHIPExchange.bodyBytesMaximum)
            return WHIPExchange.Response(
                status: Int(response.status.code),
                location: response.headers.first(name: "Location"),
                contentType: response.headers.first(name: "Content-Type"),
                retryAfter: response.headers.first(name: "Retry-After"),
                body: String(buffer: body))
        } catch is NIOTooManyBytesError {
            throw .protocolViolation(
                "an answer of more than \(WHIPExchange.bodyBytesMaximum) bytes")
        } catch {
            throw .unreachable(NetworkFault.words(error))
        }
    }
}
