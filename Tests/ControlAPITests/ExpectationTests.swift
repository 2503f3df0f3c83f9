import HTTPTypes
import HummingbirdTesting
import Testing
import Tokens

@testable import ControlAPI

/// `Expect: 100-continue`: RFC 9110 sect. 10.1.1.
@Suite(.timeLimit(.minutes(5))) struct ExpectationTests {
    private static let goOn = "HTTP/1.1 100 Continue\r\n\r\n"

    private func converse(
        _ body: @escaping @Sendable (inout RawClient.Conversation, TestWorld) async throws -> Void
    ) async throws {
        var world = try await TestWorld()
        world.configuration.handsOutTokens = true
        let made = world
        try await made.live { client in
            try await RawClient.connect(port: client.port ?? 0) { client in
                try await body(&client, made)
            }
        }
    }

    /// All routes with a body, with the headers that make them read it.
    @Test(arguments: [
        "POST /v2/rooms", "POST /v2/rooms/demo", "POST /v2/templates",
        "POST /v2/live-streams/room/demo/start", "PATCH /v2/live-streams/s1",
        "POST /v2/recordings/room/demo/start", "POST /v2/active-rooms/hall/send-message",
        "POST /api/rooms/demo/token",
    ])
    func whoWaitsIsToldToGoOn(route: String) async throws {
        try await converse { client, world in
            let token = try world.authority.makeManagementToken(at: TestWorld.now)
            try await client.send(
                "\(route) HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(token)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 1\r\n"
                    + "Expect: 100-Continue\r\n\r\n")
            #expect(try await client.response() == Self.goOn)
            try await client.send("{")
            let answer = try await client.response()
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            #expect(try await client.ending() == "", "there is one answer, and it is the last")
        }
    }

    @Test(arguments: [
        ("POST /v2/rooms", 10, "", 401), ("POST /nowhere", 10, "TOKEN", 404),
        ("POST /v2/rooms", 65_537, "TOKEN", 413), ("POST /api/rooms/demo/token", 10, "", 400),
    ])
    func whatTheHeadTellsIsToldAtOnce(
        route: String, length: Int, authorization: String, status: Int
    ) async throws {
        try await converse { client, world in
            let token = try world.authority.makeManagementToken(at: TestWorld.now)
            let field = authorization.isEmpty ? "" : "Authorization: Bearer \(token)\r\n"
            try await client.send(
                "\(route) HTTP/1.1\r\nHost: h\r\n\(field)"
                    + "Content-Length: \(length)\r\nExpect: 100-continue\r\n\r\n")
            let answer = try await client.ending()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            #expect(!answer.contains(" 100 "))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test(arguments: [
        ("HTTP/1.0", "100-continue"), ("HTTP/1.1", "200-maybe"),
    ])
    func nobodyElseIsTold(version: String, expectation: String) async throws {
        try await converse { client, _ in
            try await client.send(
                "POST /api/rooms/demo/token \(version)\r\nHost: h\r\nConnection: close\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 2\r\n"
                    + "Expect: \(expectation)\r\n\r\n{}")
            let answer = try await client.ending()
            #expect(answer.contains(" 200 OK"))
            #expect(!answer.contains(" 100 "))
        }
    }
}
