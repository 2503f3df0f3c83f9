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
        secret: String? = Self.secret, opensFiles: Bool = false,
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        var world = try await TestWorld()
        // Time stands still: no guess is given back.
        let gate = GuessGate(clock: { .zero })
        world.endpoints = [
            OpenViduEndpoint(
                gateway: OpenViduDouble(opensFiles: opensFiles), secret: secret, gate: gate)
        ]
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
        ("sessions/demo/connection", #"{"kurentoOptions":[]}"#),
        ("sessions/demo/connection", #"{"customIceServers":["x"]}"#),
        (
            "sessions/demo/connection",
            #"{"kurentoOptions":{"a":""# + String(repeating: "x", count: 2048) + #""}}"#
        ),
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

    @Test(arguments: [
        (#"{}"#, 400), (#"{"session":5}"#, 400), (#"{"session":"../x"}"#, 404),
        (#"{"session":"demo","name":"a b"}"#, 400), (#"{"session":"demo","name":5}"#, 400),
        (#"{"session":"demo","name":"\#(String(repeating: "x", count: 129))"}"#, 400),
        (#"{"session":"demo","outputMode":"composed"}"#, 400),
        (#"{"session":"demo","recordingLayout":"ROUND"}"#, 400),
        (#"{"session":"demo","frameRate":"25"}"#, 400),
        (#"{"session":"demo","hasAudio":"no"}"#, 400),
        (#"{"session":"demo","hasAudio":false,"hasVideo":false}"#, 422),
        (#"{"session":"demo","resolution":"99x720"}"#, 422),
        (#"{"session":"demo","resolution":"1280X720"}"#, 422),
        (#"{"session":"demo","resolution":"01280x720"}"#, 422),
        (#"{"session":"demo","resolution":"2000x720"}"#, 422),
        (#"{"session":"demo","resolution":"-200x720"}"#, 422),
        (#"{"session":"demo","frameRate":0}"#, 422),
        (#"{"session":"demo","frameRate":121}"#, 422),
        (#"{"session":"demo","shmSize":1}"#, 422),
        (#"{"session":"demo","outputMode":"INDIVIDUAL","resolution":"x","shmSize":1}"#, 200),
        (#"{"session":"demo","name":"a~b_c-1","mediaNode":{"id":"m"},"new":[]}"#, 200),
    ])
    func recordingsAreCheckedFirst(body: String, status: Int) async throws {
        try await Self.routes { client in
            let answer = try await Self.send(client, .post, "recordings/start", body)
            #expect(answer.status.code == status)
            if status != 200 {
                #expect(try TestJSON.object(answer)["status"] as? Int == status)
            }
        }
    }

    @Test func aRecordingIsAsItsSessionSaysUnlessItDiffers() throws {
        let session = try OpenViduRecordingProperties(
            OpenViduBody(
                .object([
                    "outputMode": "COMPOSED_QUICK_START", "resolution": "640x480",
                    "frameRate": .integer(30),
                ])))
        let one = try OpenViduRecordingProperties(
            OpenViduBody(
                .object([
                    "outputMode": "COMPOSED", "frameRate": .number(12.5), "name": "x",
                ])), completedBy: session)
        #expect(one.outputMode == .composedQuickStart && one.name == "x")
        #expect(one.width == 640 && one.height == 480 && one.frameRate == 12)
        #expect(try OpenViduRecordingProperties(OpenViduBody(session.json)) == session)
        var sound = session
        sound.hasVideo = false
        #expect(sound.shown["resolution"] == nil && sound.shown["hasVideo"] == .bool(false))
    }

    @Test func recordingsStreamsAndSignalsHaveTheirRoutes() async throws {
        try await Self.routes { client in
            let list = try TestJSON.object(try await Self.send(client, .get, "recordings"))
            #expect(list["count"] as? Int == 1)
            let known = try await Self.send(client, .get, "recordings/demo~1")
            #expect(try TestJSON.object(known)["id"] as? String == "demo~1")
            #expect(try await Self.send(client, .get, "recordings/x").status == .notFound)
            let starting = try await Self.send(client, .post, "recordings/stop/demo")
            #expect(starting.status == .notAcceptable)
            #expect(
                try await Self.send(client, .delete, "recordings/demo").status == .noContent)
            let foreign = try await Self.send(client, .delete, "sessions/demo/stream/str_x")
            #expect(foreign.status == .methodNotAllowed)
            let changed = try await Self.send(
                client, .patch, "sessions/demo/connection/con_A",
                #"{"role":"MODERATOR","record":false}"#)
            #expect(try TestJSON.object(changed)["role"] as? String == "MODERATOR")
            for (body, status) in [
                (#"{"session":"demo","to":[],"data":"x"}"#, 200),
                (#"{"session":"demo","to":["con_X"]}"#, 406),
                (#"{"session":"demo","to":"con_X"}"#, 400), (#"{"session":"demo","to":[1]}"#, 400),
                (#"{"session":"demo","type":5}"#, 400), (#"{"to":[]}"#, 400),
            ] {
                #expect(
                    try await Self.send(client, .post, "signal", body).status.code == status)
            }
        }
    }

    @Test func onlyTheAddressIsForEverybody() async throws {
        try await Self.routes { client in
            for (path, status) in [
                ("config", 401), ("config/openvidu-recording", 401),
                ("config/openvidu-publicurl", 200), ("recordings", 401),
            ] {
                #expect(try await Self.send(client, .get, path, as: nil).status.code == status)
            }
            let file = try await client.execute(
                uri: "/openvidu/recordings/demo/x.mp4", method: .get)
            #expect(file.status == .unauthorized)
        }
        try await Self.routes(opensFiles: true) { client in
            let file = try await client.execute(
                uri: "/openvidu/recordings/demo/x.mp4", method: .get)
            #expect(file.status == .notFound)
            #expect(
                try await Self.send(client, .get, "recordings", as: nil).status == .unauthorized)
        }
    }

    @Test func oldAddressesAreAnsweredWhereTheyAreFree() async throws {
        try await Self.routes { client in
            let credentials = Data("OPENVIDUAPP:\(Self.secret)".utf8).base64EncodedString()
            let made = try await client.execute(
                uri: "/api/tokens", method: .post,
                headers: [
                    .contentType: "application/json", .authorization: "Basic \(credentials)",
                ], body: ByteBuffer(string: #"{"session":"demo"}"#))
            #expect(made.status == .ok)
            let stranger = try await client.execute(uri: "/api/sessions", method: .get)
            #expect(stranger.status == .unauthorized)
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
private struct OpenViduDouble: OpenViduGateway, OpenViduControl, OpenViduRecordingControl {
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

    func changeConnection(
        _ id: String, in room: RoomID, role: String?, isRecorded: Bool?
    ) async throws(APIError) -> JSONValue {
        .object(["role": role.map { .string($0) } ?? .null, "record": .bool(isRecorded ?? true)])
    }

    func unpublish(_ stream: String, in room: RoomID) async throws(APIError) {
        throw .notAllowed("another protocol's")
    }

    func signal(_ signal: OpenViduSignal, in room: RoomID) async throws(APIError) {
        guard signal.targets.isEmpty else { throw .notAcceptable("no such addressee") }
    }

    func startRecording(
        of room: RoomID, _ body: OpenViduBody, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue {
        var members = try OpenViduRecordingProperties(body).shown
        members["id"] = .string(room.rawValue)
        return .object(members)
    }

    func stopRecording(
        _ id: String, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue { throw .notAcceptable("it is starting") }

    func recordings(for caller: OpenViduCallerView) async throws(APIError) -> [JSONValue] {
        [.string(caller.base)]
    }

    func recording(
        _ id: String, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue {
        guard id == "demo~1" else { throw .notFound("no such recording") }
        return .object(["id": .string(id)])
    }

    func deleteRecording(_ id: String) async throws(APIError) {}

    func recordingFile(
        _ name: String, of id: String
    ) async throws(APIError) -> RecordingFile? { nil }

    let opensFiles: Bool

    func configuration(for caller: OpenViduCallerView) -> JSONValue {
        .object(["OPENVIDU_PUBLICURL": .string(caller.base), "OPENVIDU_RECORDING": .bool(true)])
    }
}
