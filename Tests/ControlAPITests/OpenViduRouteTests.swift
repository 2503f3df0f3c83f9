import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Testing

@testable import ControlAPI

/// OpenVidu's REST API: who may use it, and what it refuses itself.
@Suite struct OpenViduRouteTests {
    private static let secret = "correct horse battery"

    private static func routes(
        secret: String? = Self.secret,
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        var world = try await TestWorld()
        // Time stands still: no guess is given back.
        let gate = GuessGate(clock: { .zero })
        world.endpoints = [OpenViduEndpoint(gateway: OpenViduDouble(), secret: secret, gate: gate)]
        try await world.routes(body)
    }

    private static func send(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String,
        _ body: String = "", as credentials: String? = "OPENVIDUAPP:\(Self.secret)",
        from address: String? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let credentials {
            headers[.authorization] = "Basic \(Data(credentials.utf8).base64EncodedString())"
        }
        if let address, let name = HTTPField.Name("X-Forwarded-For") { headers[name] = address }
        return try await client.execute(
            uri: "/openvidu/api/\(path)", method: method, headers: headers,
            body: ByteBuffer(string: body))
    }

    @Test func onlyWhoHasTheSecretMayUseIt() async throws {
        try await Self.routes { client in
            #expect(try await Self.send(client, .get, "sessions").status == .ok)
            for wrong in [
                nil, "", "OPENVIDUAPP:", "OPENVIDUAPP:\(Self.secret)x", "root:\(Self.secret)",
                ":\(Self.secret)", Self.secret,
            ] {
                let refused = try await Self.send(client, .get, "sessions", as: wrong)
                #expect(refused.status == .unauthorized, "\(wrong ?? "none")")
                #expect(refused.headers[.wwwAuthenticate] == "Basic realm=\"openvidu\"")
                let body = try TestJSON.object(refused)
                #expect(body["status"] as? Int == 401 && body["error"] as? String == "Unauthorized")
                #expect(body["path"] as? String == "/openvidu/api/sessions")
            }
        }
    }

    @Test func guessesAreCountedByAddress() async throws {
        try await Self.routes { client in
            for _ in 0..<(2 * Limits.guessesBurst) {
                _ = try await Self.send(
                    client, .get, "sessions", as: "OPENVIDUAPP:x", from: "203.0.113.5")
            }
            let guesser = try await Self.send(client, .get, "sessions", from: "203.0.113.5")
            #expect(guesser.status == .tooManyRequests)
            let other = try await Self.send(client, .get, "sessions", from: "198.51.100.7")
            #expect(other.status == .ok)
        }
    }

    @Test func withoutASecretThereIsNone() async throws {
        try await Self.routes(secret: nil) { client in
            for path in ["sessions", "tokens"] {
                let answer = try await Self.send(client, .post, path, "{}")
                #expect(answer.status == .notFound)
            }
        }
    }

    @Test(arguments: [
        ("sessions", "["), ("sessions", "[]"), ("sessions", #"{"customSessionId":5}"#),
        ("sessions", #"{"customSessionId":"a b"}"#), ("sessions", #"{"mediaMode":"ROUTE"}"#),
        ("sessions", #"{"allowTranscoding":"yes"}"#), ("sessions/demo/connection", #"{"role":1}"#),
        ("sessions/demo/connection", #"{"role":"KING"}"#),
        ("sessions/demo/connection", #"{"type":"IPCAM"}"#),
        (
            "sessions/demo/connection",
            #"{"data":"\#(String(repeating: "x", count: 8193))"}"#
        ), ("tokens", "{}"), ("tokens", #"{"session":"../x"}"#),
        ("sessions", String(repeating: "[", count: 100)),
    ])
    func unusableBodiesAreRefused(path: String, body: String) async throws {
        try await Self.routes { client in
            let refused = try await Self.send(client, .post, path, body)
            #expect(refused.status == .badRequest)
            #expect(try TestJSON.object(refused)["message"] as? String != "")
        }
    }

    @Test func answersHaveOpenVidusForm() async throws {
        try await Self.routes { client in
            let made = try await Self.send(
                client, .post, "sessions",
                #"{"customSessionId":"demo","defaultRecordingProperties":{"name":"x"},"new":[1]}"#)
            #expect(made.status == .ok)
            #expect(try TestJSON.object(made)["id"] as? String == "demo")
            let exists = try await Self.send(
                client, .post, "sessions", #"{"customSessionId":"taken"}"#)
            #expect(exists.status == .conflict && exists.body.readableBytes == 0)
            let token = try await Self.send(client, .post, "tokens", #"{"session":"demo"}"#)
            let body = try TestJSON.object(token)
            #expect(body["id"] as? String == body["token"] as? String)
            #expect(body["role"] as? String == "PUBLISHER" && body["session"] as? String == "demo")
            let unknown = try await Self.send(client, .get, "sessions/none")
            #expect(unknown.status == .notFound)
            let list = try TestJSON.object(try await Self.send(client, .get, "sessions"))
            #expect(list["numberOfElements"] as? Int == 1)
        }
    }
}

/// One session, `demo`; another id is taken.
private struct OpenViduDouble: OpenViduGateway, OpenViduControl {
    private static let session = JSONValue.object(["id": "demo"])

    func open(
        _ client: OpenViduClient, socket: WebSocketConnection, messages: WebSocketMessages
    ) async {}

    func openSession(
        _ customID: RoomID?, _ terms: OpenViduSessionTerms
    ) async throws(APIError) -> JSONValue {
        guard customID != "taken" else { throw .conflict("the session exists") }
        return Self.session
    }

    func sessions() async -> [JSONValue] { [Self.session] }

    func session(_ room: RoomID) async throws(APIError) -> JSONValue {
        guard room == "demo" else { throw .notFound("no such session") }
        return Self.session
    }

    func closeSession(_ room: RoomID) async throws(APIError) {}

    func openConnection(
        in room: RoomID, _ request: OpenViduConnectionRequest, origin: String
    ) async throws(APIError) -> JSONValue {
        .object([
            "connectionId": "con_A",
            "token": .string("\(origin)?sessionId=\(room)&token=tok_A"),
        ])
    }

    func connections(in room: RoomID) async throws(APIError) -> [JSONValue] { [] }

    func connection(_ id: String, in room: RoomID) async throws(APIError) -> JSONValue {
        throw .notFound("no such connection")
    }

    func closeConnection(_ id: String, in room: RoomID) async throws(APIError) {}
}
