import AsyncHTTPClient
import Foundation
import MediaClient
import NIOCore
import NIOHTTP1
import RemoteRoom

/// Sends the requests of a `WHIPExchange`.
struct WHIPHTTP: Sendable {
    /// Until the head of a response.
    static let timeout: Duration = .seconds(10)

    private let exchange = HTTPExchange()

    func close() async { await exchange.close() }

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
            let (head, body) = try await exchange.answer(
                to: message, headTimeout: Self.timeout,
                bytesMaximum: WHIPExchange.bodyBytesMaximum)
            return WHIPExchange.Response(
                status: Int(head.status.code),
                location: head.headers.first(name: "Location"),
                contentType: head.headers.first(name: "Content-Type"),
                retryAfter: head.headers.first(name: "Retry-After"), body: body)
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
}
