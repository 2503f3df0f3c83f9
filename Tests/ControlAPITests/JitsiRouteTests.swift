import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Testing

@testable import ControlAPI

/// Conference requests of Jitsi's clients, and their channels of the bridge.
@Suite struct JitsiRouteTests {
    private struct Focus: JitsiGateway {
        func requestConference(_ body: String) async -> (status: Int, body: String) {
            body == "{}" ? (400, "bad-request") : (200, body)
        }

        func admits(_ channel: JitsiChannel) async -> Bool {
            channel.conference == "r" && channel.endpoint == "1a2b" && channel.password == "secret"
        }

        func open(
            _ channel: JitsiChannel, socket: WebSocketConnection, messages: WebSocketMessages
        ) async {
            for await text in messages { _ = await socket.send("\(channel.endpoint) \(text)") }
        }
    }

    private static func routes(
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        var world = try await TestWorld()
        world.endpoints = [endpoint]
        try await world.routes(body)
    }

    /// Time stands still: no request is given back.
    private static var endpoint: JitsiEndpoint {
        JitsiEndpoint(
            gateway: Focus(), gate: GuessGate(rate: 1, burst: 3, clock: { .zero }),
            passwords: GuessGate(rate: 1, burst: 3, clock: { .zero }))
    }

    private static func converse(
        _ body: @escaping @Sendable (inout RawClient.Conversation) async throws -> Void
    ) async throws {
        var world = try await TestWorld()
        world.endpoints = [endpoint]
        try await world.live { client in
            try await RawClient.connect(port: client.port ?? 0) { try await body(&$0) }
        }
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

    // MARK: Channels

    private static let channel = "/colibri-ws/default-id/r/1a2b?pwd=secret"

    @Test func aChannelIsOpenedWithItsPassword() async throws {
        try await Self.converse { client in
            #expect(try await client.upgrade(Self.channel).hasPrefix("HTTP/1.1 101"))
            try await client.send(RawClient.text("hello"))
            #expect(try await client.frame()?.payload == Array("1a2b hello".utf8))
            try await client.send(RawClient.frame(9, [7]))
            let pong = try await client.frame()
            #expect(pong?.opcode == 10 && pong?.payload == [7])
        }
    }

    @Test func aWrongPasswordIsRefusedAndCounted() async throws {
        var world = try await TestWorld()
        world.endpoints = [Self.endpoint]
        try await world.live { client in
            var answers: [String] = []
            for path in [
                "/colibri-ws/default-id/r/1a2b?pwd=Secret", "/colibri-ws/default-id/r/1a2b",
                "/colibri-ws/default-id/other/1a2b?pwd=secret", Self.channel,
            ] {
                let answer = try await RawClient.connect(port: client.port ?? 0) {
                    try await $0.upgrade(path)
                }
                answers.append(String(answer.prefix(12)))
            }
            // Each attempt counts once, although the upgrade asks before the route.
            #expect(answers == Array(repeating: "HTTP/1.1 403", count: 3) + ["HTTP/1.1 429"])
        }
    }

    @Test func anAddressOfAChannelIsNoPage() async throws {
        try await Self.routes { client in
            let right = try await client.execute(uri: Self.channel, method: .get)
            #expect(right.status == .upgradeRequired)
            let long = "/colibri-ws/default-id/r/\(String(repeating: "a", count: 129))?pwd=secret"
            #expect(try await client.execute(uri: long, method: .get).status == .forbidden)
            for other in ["/colibri-ws", "/colibri-ws/r/1a2b?pwd=secret"] {
                #expect(try await client.execute(uri: other, method: .get).status == .notFound)
            }
        }
    }
}
