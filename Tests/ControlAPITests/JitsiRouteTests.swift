import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Testing

@testable import ControlAPI

/// Conference requests of Jitsi's clients.
@Suite struct JitsiRouteTests {
    private struct Focus: JitsiGateway {
        func requestConference(_ body: String) async -> (status: Int, body: String) {
            body == "{}" ? (400, "bad-request") : (200, body)
        }
    }

    private static func routes(
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        var world = try await TestWorld()
        // Time stands still: no request is given back.
        let gate = GuessGate(rate: 1, burst: 3, clock: { .zero })
        world.endpoints = [JitsiEndpoint(gateway: Focus(), gate: gate)]
        try await world.routes(body)
    }

    private static func ask(
        _ client: any TestClientProtocol, _ body: String, from address: String = "203.0.113.5"
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name("X-Forwarded-For") { headers[name] = address }
        return try await client.execute(
            uri: "/conference-request/v1", method: .post, headers: headers,
            body: ByteBuffer(string: body))
    }

    @Test func theAnswerIsThatOfTheFocus() async throws {
        try await Self.routes { client in
            let answer = try await Self.ask(client, #"{"room":"r"}"#)
            #expect(answer.status == .ok && String(buffer: answer.body) == #"{"room":"r"}"#)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            let refused = try await Self.ask(client, "{}")
            #expect(refused.status == .badRequest)
            #expect(String(buffer: refused.body) == "bad-request")
            let long = try await Self.ask(client, String(repeating: " ", count: 16_385))
            #expect(long.status == .contentTooLarge)
        }
    }

    @Test func eachAddressHasALimitOfItsOwn() async throws {
        try await Self.routes { client in
            let (first, other) = ("203.0.113.5", "198.51.100.7")
            var statuses: [HTTPResponse.Status] = []
            for address in [first, first, first, first, other] {
                statuses.append(try await Self.ask(client, "[]", from: address).status)
            }
            #expect(statuses == [.ok, .ok, .ok, .tooManyRequests, .ok])
        }
    }
}
