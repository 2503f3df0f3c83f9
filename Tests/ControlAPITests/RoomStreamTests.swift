import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Stage
import Streams
import Synchronization
import Testing
import Tokens

@testable import ControlAPI

/// A room's stream on the pages: what all may see, and what those see and change who may stream.
@Suite struct RoomStreamTests {
    private let world: TestWorld
    private let path = "/api/rooms/hall/stream"

    init() async throws { world = try await TestWorld() }

    /// A peer in the room.
    ///
    /// - Returns: its token.
    private func join(_ peer: PeerID, role: String) throws -> HTTPFields {
        try world.gateway.join(peer, role: role)
        let token = try world.authority.makeRoomToken(
            room: "hall", user: peer.rawValue, role: role, at: TestWorld.now)
        let parts = token.split(separator: ".")
        var body = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while body.utf8.count % 4 != 0 { body += "=" }
        struct Claims: Decodable { var jti: String }
        let claims = try JSONDecoder().decode(
            Claims.self, from: try #require(Data(base64Encoded: body)))
        world.gateway.state.withLock { $0.present[peer] = claims.jti }
        return [.authorization: "Bearer \(token)"]
    }

    /// The room is on air.
    private func start(_ change: (inout LiveStream) -> Void = { _ in }) async throws {
        _ = try await world.control.start(
            room: "hall", LiveStreamRequest(), startedBy: nil)
        world.control.state.withLock { state in
            state.streams[0].status = .running
            change(&state.streams[0])
        }
    }

    private static let requests: [(HTTPRequest.Method, String, String)] = [
        (.patch, "", #"{"layout":{"name":"speaker"}}"#), (.get, "/preview", ""),
        (.post, "/pause-recording", ""), (.post, "/resume-recording", ""),
    ]

    @Test(arguments: requests)
    func onlyAPeerWhoMayStreamDirects(
        method: HTTPRequest.Method, part: String, body: String
    ) async throws {
        let host = try join("ann", role: "host")
        let guest = try join("ben", role: "guest")
        try await start()
        try await world.routes { [path] client in
            // Without a token, with none of ours, without the right; then another's token or id, and
            // nobody's; then no id and none that is one.
            let refused: [(HTTPFields, String, Int)] = [
                ([:], "?peer_id=ann", 401), ([.authorization: "Bearer x"], "?peer_id=ann", 401),
                (guest, "?peer_id=ben", 403), (host, "?peer_id=ben", 403),
                (guest, "?peer_id=ann", 403), (host, "?peer_id=nobody", 403), (host, "", 400),
                (host, "?peer_id=a%20b", 400),
            ]
            for (headers, query, status) in refused {
                let answer = try await client.execute(
                    uri: "\(path)\(part)\(query)", method: method, headers: headers,
                    body: ByteBuffer(string: body))
                #expect(answer.status.code == status, "\(query)")
            }
            let answer = try await client.execute(
                uri: "\(path)\(part)?peer_id=ann", method: method, headers: host,
                body: ByteBuffer(string: body))
            #expect(answer.status == .ok || answer.status == .noContent)
        }
    }

    @Test func whoMayStreamUploadsPictures() async throws {
        let host = try join("ann", role: "host")
        let guest = try join("ben", role: "guest")
        let picture = ByteBuffer(bytes: [0xFF, 0xD8, 0xFF])
        try await world.routes { client in
            let refused: [(HTTPFields, String, Int)] = [
                ([:], "ann", 401), (guest, "ben", 403), (guest, "ann", 403), (host, "ben", 403),
            ]
            for (headers, peer, status) in refused {
                let answer = try await client.execute(
                    uri: "/api/rooms/hall/pictures?peer_id=\(peer)", method: .post,
                    headers: headers, body: picture)
                #expect(answer.status.code == status)
            }
            let answer = try await client.execute(
                uri: "/api/rooms/hall/pictures?peer_id=ann", method: .post, headers: host,
                body: picture)
            #expect(answer.status == .created)
            let other = try await client.execute(
                uri: "/api/rooms/attic/pictures?peer_id=ann", method: .post, headers: host,
                body: picture)
            #expect(other.status == .forbidden)
        }
    }

    @Test func aRoleThatChangesGivesAndTakesTheRight() async throws {
        let guest = try join("ben", role: "guest")
        let host = try join("ann", role: "host")
        try await start()
        try await world.routes { [world, path] client in
            _ = try await world.gateway.change(
                "ben", in: "hall", name: nil, metadata: nil, role: "host")
            _ = try await world.gateway.change(
                "ann", in: "hall", name: nil, metadata: nil, role: "guest")
            let raised = try await client.execute(
                uri: "\(path)?peer_id=ben", method: .get, headers: guest)
            #expect(raised.status == .ok)
            let lowered = try await client.execute(
                uri: "\(path)?peer_id=ann", method: .get, headers: host)
            #expect(lowered.status == .forbidden)
        }
    }

    @Test func aTokenOfAnotherRoomGivesNoRight() async throws {
        _ = try join("ann", role: "host")
        try await start()
        let other = try world.authority.makeRoomToken(
            room: "attic", user: "ann", role: "host", at: TestWorld.now)
        try await world.routes { [path] client in
            let answer = try await client.execute(
                uri: "\(path)?peer_id=ann", method: .get,
                headers: [.authorization: "Bearer \(other)"])
            #expect(answer.status == .forbidden)
        }
    }

    @Test func whoDirectsSeesMore() async throws {
        let host = try join("ann", role: "host")
        try await start { stream in
            stream.plan.layout = Layout(name: .pip)
            stream.plan.audio.roles = ["host"]
            stream.recordingPause = .paused
        }
        try await world.routes { [path] client in
            let all = try await client.execute(uri: path, method: .get)
            let said = try TestJSON.object(all)
            #expect(said["studio"] == nil)
            let answer = try await client.execute(
                uri: "\(path)?peer_id=ann", method: .get, headers: host)
            let told = try TestJSON.object(answer)
            let studio = try #require(told["studio"] as? [String: Any])
            #expect((studio["layout"] as? [String: Any])?["name"] as? String == "pip")
            #expect((studio["audio"] as? [String: Any])?["roles"] as? [String] == ["host"])
            #expect(studio["viewers"] as? [String: Int] == ["now": 0, "peak": 0])
            #expect(studio["recording_paused"] as? Bool == true)
            #expect(studio["is_recorded"] as? Bool == false)
            #expect(studio.keys.contains("frame_rate"))
        }
    }

    @Test func aRoomThatIsNotOnAirHasNothingToDirect() async throws {
        let host = try join("ann", role: "host")
        try await world.routes { [path] client in
            for (method, part, body) in Self.requests {
                let answer = try await client.execute(
                    uri: "\(path)\(part)?peer_id=ann", method: method, headers: host,
                    body: ByteBuffer(string: body))
                #expect(answer.status == .notFound, "\(method) \(part)")
            }
            let state = try await client.execute(
                uri: "\(path)?peer_id=ann", method: .get, headers: host)
            let said = try TestJSON.object(state)
            #expect(state.status == .ok && said["studio"] == nil)
        }
    }

    @Test func theLayoutAndTheRecordingChange() async throws {
        let host = try join("ann", role: "host")
        try await start()
        try await world.routes { [world, path] client in
            let changed = try await client.execute(
                uri: "\(path)?peer_id=ann", method: .patch, headers: host,
                body: ByteBuffer(string: #"{"layout":{"name":"single"}}"#))
            let studio = try TestJSON.object(changed)["studio"] as? [String: Any]
            #expect((studio?["layout"] as? [String: Any])?["name"] as? String == "single")
            for (action, pause) in [
                ("pause", LiveStream.RecordingPause.paused), ("resume", .resumed),
            ] {
                let answer = try await client.execute(
                    uri: "\(path)/\(action)-recording?peer_id=ann", method: .post, headers: host)
                #expect(answer.status == .ok)
                #expect(world.control.state.withLock { $0.streams[0].recordingPause } == pause)
            }
        }
    }

    @Test func thoseWhoMayRecordPauseTheRoomsOwnRecording() async throws {
        let host = try join("ann", role: "host")
        let guest = try join("ben", role: "guest")
        try await start()
        try await world.routes { [world] client in
            func ask(
                _ action: String, _ headers: HTTPFields, _ peer: String, body: String = ""
            ) async throws -> TestResponse {
                try await client.execute(
                    uri: "/api/rooms/hall/recording/\(action)?peer_id=\(peer)", method: .post,
                    headers: headers, body: ByteBuffer(string: body))
            }
            // The stream's is another one.
            #expect(try await ask("pause", host, "ann").status == .notFound)
            world.control.state.withLock { $0.streams[0].kind = .recording }
            for (action, pause) in [
                ("pause", LiveStream.RecordingPause.paused), ("resume", .resumed),
            ] {
                #expect(try await ask(action, guest, "ben").status == .forbidden)
                #expect(try await ask(action, guest, "ann").status == .forbidden)
                #expect(try await ask(action, [:], "ann").status == .unauthorized)
                #expect(try await ask(action, host, "ann", body: "x").status == .badRequest)
                let answer = try await ask(action, host, "ann")
                #expect(
                    String(buffer: answer.body)
                        == #"{"recording_paused":\#(pause == .paused)}"#)
                #expect(world.control.state.withLock { $0.streams[0].recordingPause } == pause)
            }
        }
    }

    @Test(arguments: [
        ("{}", 400), (#"{"gap":4}"#, 400), (#"{"layout":{},"ladder":[]}"#, 400), ("[]", 400),
        (#"{"layout":"\#(String(repeating: "x", count: Limits.bodyBytes))"}"#, 413),
    ])
    func aChangeHasLimits(body: String, status: Int) async throws {
        let host = try join("ann", role: "host")
        try await start()
        try await world.routes { [path] client in
            let answer = try await client.execute(
                uri: "\(path)?peer_id=ann", method: .patch, headers: host,
                body: ByteBuffer(string: body))
            #expect(answer.status.code == status)
        }
    }

    @Test func thePreviewIsGivenOutWhileItIsNewAndWantedByEachLook() async throws {
        let host = try join("ann", role: "host")
        try await start()
        let file = "\(world.directory)/out/hall/stream-1/\(StreamPreview.fileName)"
        try await world.routes { [world, path] client in
            func look() async throws -> TestResponse {
                try await client.execute(
                    uri: "\(path)/preview?peer_id=ann", method: .get, headers: host)
            }
            let none = try await look()
            #expect(none.status == .noContent && none.headers[.cacheControl] == "no-store")
            try world.write("hall/stream-1/\(StreamPreview.fileName)", "JPEG".utf8)
            func date(_ seconds: Double) throws {
                let moment = Date(
                    timeIntervalSince1970: Double(TestWorld.now.milliseconds) / 1000 + seconds)
                try FileManager.default.setAttributes(
                    [.modificationDate: moment], ofItemAtPath: file)
            }
            try date(-0.25)
            let picture = try await look()
            #expect(picture.status == .ok && String(buffer: picture.body) == "JPEG")
            #expect(picture.headers[.contentType] == "image/jpeg")
            #expect(picture.headers[.cacheControl] == "no-store")
            #expect(picture.headers[RoomStreamAPI.pictureAge] == "250")
            try date(-11)
            let old = try await look()
            #expect(old.status == .noContent)
            #expect(
                world.control.state.withLock { $0.previewed }
                    == ["stream-1", "stream-1", "stream-1"])
        }
    }

    @Test func aStreamOfSoundAloneHasNoPreview() async throws {
        let host = try join("ann", role: "host")
        try await start { $0.plan.audio.only = true }
        try await world.routes { [world, path] client in
            let answer = try await client.execute(
                uri: "\(path)/preview?peer_id=ann", method: .get, headers: host)
            #expect(answer.status == .notFound)
            #expect(world.control.state.withLock { $0.previewed.isEmpty })
        }
    }
}
