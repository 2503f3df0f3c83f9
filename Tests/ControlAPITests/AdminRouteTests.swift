import Catalogue
import Digests
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import MediaKernel
import NIOCore
import Streams
import Synchronization
import Testing
import Tokens

@testable import ControlAPI

@Suite struct AdminRouteTests {
    private struct Session: Decodable {
        var state: String
    }

    private static func login(
        _ client: any TestClientProtocol, _ word: String = AdminDouble.word,
        _ headers: HTTPFields = .adminPage
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/admin/api/session", method: .post, headers: headers,
            body: ByteBuffer(string: #"{"password":"\#(word)"}"#))
    }

    /// The headers of a page that is logged in.
    private static func inside(_ client: any TestClientProtocol) async throws -> HTTPFields {
        let cookie = try #require(try await login(client).headers[.setCookie])
        var headers = HTTPFields.adminPage
        headers[.cookie] = "other=1; \(cookie.prefix { $0 != ";" })"
        return headers
    }

    private static func state(
        _ client: any TestClientProtocol, _ headers: HTTPFields = .adminPage
    ) async throws -> String {
        let answer = try await client.execute(
            uri: "/admin/api/session", method: .get, headers: headers)
        return try TestJSON.decode(Session.self, answer).state
    }

    @Test func theCookieIsForThePageAlone() async throws {
        try await TestWorld().routes { client in
            let answer = try await Self.login(client)
            #expect(answer.status == .ok)
            let cookie = try #require(answer.headers[.setCookie])
            let parts = cookie.split(separator: "; ").map(String.init)
            #expect(parts[0].hasPrefix("roomcast_admin="))
            // 256 bits in base 64.
            #expect(parts[0].dropFirst("roomcast_admin=".count).count == 43)
            #expect(
                Set(parts.dropFirst()) == [
                    "Max-Age=43200", "Path=/admin", "HttpOnly", "SameSite=Strict",
                ])
        }
    }

    @Test func overTLSItIsForTLSAlone() async throws {
        var world = try await TestWorld()
        world.configuration.publicBaseURL = "https://live.example.org"
        try await world.routes { client in
            var headers = HTTPFields.adminPage
            headers[.origin] = "https://live.example.org"
            let answer = try await Self.login(client, AdminDouble.word, headers)
            #expect(answer.headers[.setCookie]?.contains("; Secure") == true)
        }
    }

    @Test func whoIsLoggedInUsesTheControlAPI() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let headers = try await Self.inside(client)
            #expect(try await Self.state(client, headers) == "open")
            let start = try await client.execute(
                uri: "/admin/api/v2/live-streams/room/demo/start", method: .post, headers: headers)
            #expect(start.status == .ok)
            let stop = try await client.execute(
                uri: "/admin/api/v2/live-streams/stream-1/stop", method: .post, headers: headers)
            #expect(stop.status == .ok)
            let list = try await client.execute(
                uri: "/admin/api/v2/live-streams?status=stopping", method: .get, headers: headers)
            #expect(String(buffer: list.body).contains("stream-1"))
            let recordings = try await client.execute(
                uri: "/admin/api/recordings?limit=20", method: .get, headers: headers)
            #expect(recordings.status == .ok)
            // The control API's own refusals arrive as they are.
            let wrong = try await client.execute(
                uri: "/admin/api/v2/live-streams?rom=demo", method: .get, headers: headers)
            #expect(wrong.status == .badRequest)
        }
        #expect(world.control.state.withLock { $0.streams.first?.status } == .stopping)
    }

    private static let data = [
        "/admin/api/overview", "/admin/api/streams", "/admin/api/rooms", "/admin/api/log",
        "/admin/api/settings", "/admin/api/history", "/admin/api/uploads",
        "/admin/api/v2/live-streams", "/admin/api/recordings",
    ]

    @Test func nobodyElseDoes() async throws {
        try await TestWorld().routes { client in
            var strangers: [HTTPFields] = [.adminPage]
            for id in [
                "", "a", String(repeating: "A", count: 43), String(repeating: "A", count: 9000),
            ] {
                strangers.append(.adminPage)
                strangers[strangers.count - 1][.cookie] = "roomcast_admin=\(id)"
            }
            for path in Self.data {
                for headers in strangers {
                    let answer = try await client.execute(
                        uri: path, method: .get, headers: headers)
                    #expect(answer.status == .unauthorized, "\(path)")
                }
            }
            // The session opens nothing outside the page, nor does its path open anything else.
            let headers = try await Self.inside(client)
            for (path, status) in [
                ("/v2/live-streams", HTTPResponse.Status.unauthorized),
                ("/admin/api/metrics", .notFound), ("/admin/api/recordingsx", .notFound),
                ("/admin/api/rooms/../v2/live-streams", .notFound),
            ] {
                let answer = try await client.execute(uri: path, method: .get, headers: headers)
                #expect(answer.status == status, "\(path)")
            }
        }
    }

    /// Cross-site request forgery, with the cookie in it as if `SameSite` were not obeyed.
    @Test func anotherSitesRequestsAreRefused() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let inside = try await Self.inside(client)
            func refused(_ change: (inout HTTPFields) -> Void) async throws {
                var headers = inside
                change(&headers)
                for path in ["/admin/api/v2/live-streams/room/demo/start", "/admin/api/session"] {
                    let answer = try await client.execute(
                        uri: path, method: .post, headers: headers,
                        body: ByteBuffer(
                            string: path.hasSuffix("session")
                                ? #"{"password":"\#(AdminDouble.word)"}"# : ""))
                    #expect(answer.status == .forbidden, "\(path) \(headers)")
                    #expect(answer.headers[.setCookie] == nil)
                }
                let leave = try await client.execute(
                    uri: "/admin/api/session", method: .delete, headers: headers)
                #expect(leave.status == .forbidden)
            }
            try await refused { $0[SameOrigin.header] = nil }
            try await refused { $0[.origin] = nil }
            for origin in ["null", "https://evil.example", "http://127.0.0.1:0.evil.example", "*"] {
                try await refused { $0[.origin] = origin }
            }
            for site in ["cross-site", "same-site", "none"] {
                try await refused { $0[HTTPField.Name("Sec-Fetch-Site")!] = site }
            }
            #expect(try await Self.state(client, inside) == "open")
        }
        #expect(world.control.state.withLock { $0.streams.isEmpty })
    }

    @Test func aWrongPasswordIsCountedByAddress() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            for _ in 0..<AdminDoor.guessesBurst {
                let answer = try await Self.login(client, "wrong")
                #expect(answer.status == .unauthorized)
                #expect(answer.headers[.setCookie] == nil)
            }
            // Even the right one has to wait now, so that no guess is answered.
            #expect(try await Self.login(client).status == .tooManyRequests)
            var elsewhere = HTTPFields.adminPage
            elsewhere[HTTPField.Name("X-Forwarded-For")!] = "203.0.113.9"
            #expect(try await Self.login(client, AdminDouble.word, elsewhere).status == .ok)
        }
    }

    @Test func leavingEndsTheSession() async throws {
        try await TestWorld().routes { client in
            let headers = try await Self.inside(client)
            let answer = try await client.execute(
                uri: "/admin/api/session", method: .delete, headers: headers)
            #expect(answer.status == .ok)
            #expect(answer.headers[.setCookie]?.contains("Max-Age=0") == true)
            #expect(try await Self.state(client, headers) == "closed")
        }
    }

    @Test func anotherPasswordEndsAllSessions() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let headers = try await Self.inside(client)
            let other = try #require(
                Scrypt(exponent: 4).flatMap { PasswordHash(password: AdminDouble.word, cost: $0) })
            world.admin.state.withLock { $0.password = .set(other) }
            #expect(try await Self.state(client, headers) == "closed")
            let data = try await client.execute(
                uri: "/admin/api/overview", method: .get, headers: headers)
            #expect(data.status == .unauthorized)
            #expect(try await Self.login(client).status == .ok)
        }
    }

    @Test(arguments: [
        (AdminPassword.notSet, "without_password"), (.unusable, "unusable_password"),
    ])
    func withoutAPasswordNobodyGetsIn(password: AdminPassword, state: String) async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let headers = try await Self.inside(client)
            world.admin.state.withLock { $0.password = password }
            #expect(try await Self.state(client, headers) == state)
            #expect(try await Self.login(client, "").status == .forbidden)
            let data = try await client.execute(
                uri: "/admin/api/settings", method: .get, headers: headers)
            #expect(data.status == .unauthorized)
        }
    }

    @Test func aLoginIsShort() async throws {
        try await TestWorld().routes { client in
            let long = String(repeating: "a", count: 5000)
            let answer = try await Self.login(client, long)
            #expect(answer.status == .contentTooLarge)
        }
    }

    @Test func secretsOfSettingsAreNotTold() async throws {
        try await TestWorld().routes { client in
            let headers = try await Self.inside(client)
            let answer = try await client.execute(
                uri: "/admin/api/settings", method: .get, headers: headers)
            #expect(
                String(buffer: answer.body)
                    == #"{"data":[{"after_restart":{"origin":null,"value":"80"},"name":"http.port","#
                    + #""origin":"/etc/roomcast.json:3","value":"8080"},{"after_restart":null,"#
                    + #""name":"auth.secret","origin":"ROOMCAST_AUTH_SECRET","value":null}],"fault":null}"#
            )
        }
    }

    private struct Log: Decodable {
        struct Line: Decodable {
            var number: Int
            var message: String
        }
        var data: [Line]
        var last: Int
    }

    @Test func theLogIsFiltered() async throws {
        let world = try await TestWorld()
        world.admin.log.take(
            "roomcast.bot", "one", .info, TestWorld.now, [("room", "demo"), ("stream", "s1")])
        world.admin.log.take("roomcast", "two", .warning, TestWorld.now, [("stream", "s10")])
        try await world.routes { client in
            let headers = try await Self.inside(client)
            func lines(_ query: String) async throws -> [String] {
                let answer = try await client.execute(
                    uri: "/admin/api/log?\(query)", method: .get, headers: headers)
                let log = try TestJSON.decode(Log.self, answer)
                #expect(log.last == 2)
                return log.data.map(\.message)
            }
            #expect(try await lines("") == ["one", "two"])
            #expect(try await lines("level=warning") == ["two"])
            #expect(try await lines("text=ROOM%3Ddemo") == ["one"])
            #expect(try await lines("after=1") == ["two"])
            #expect(try await lines("stream=s1") == ["one"])
            for query in ["level=loud", "after=-1", "limit=0", "limit=501", "txt=a"] {
                let answer = try await client.execute(
                    uri: "/admin/api/log?\(query)", method: .get, headers: headers)
                #expect(answer.status == .badRequest, "\(query)")
            }
        }
    }

    private struct Streams: Decodable {
        struct Stream: Decodable {
            struct Layer: Decodable {
                var bitrate: Int?
                var wanted: Int

                enum CodingKeys: String, CodingKey {
                    case bitrate
                    case wanted = "bitrate_wanted"
                }
            }
            var layers: [Layer]
            var cores: Double?
            var memory: Int?
            var written: Int
            var frameRate: Double?
            var frameRateWanted: Double?

            enum CodingKeys: String, CodingKey {
                case layers, cores, memory, written
                case frameRate = "frame_rate"
                case frameRateWanted = "frame_rate_wanted"
            }
        }
        var data: [Stream]
    }

    @Test func aStreamHasWhatItTakesAndMakes() async throws {
        let world = try await TestWorld()
        var stream = LiveStream(
            id: "s1", room: "demo", session: nil, createdAt: TestWorld.now, startedBy: "")
        stream.status = .running
        stream.health.frameRate = 12
        let load = StreamFigures(
            bitrates: [2_000_000, nil, 400_000], cores: 0.5, memory: 1000, written: 99)
        world.admin.state.withLock { $0.streams = [WatchedStream(stream, load: load)] }
        try await world.routes { client in
            let headers = try await Self.inside(client)
            let answer = try await client.execute(
                uri: "/admin/api/streams", method: .get, headers: headers)
            let told = try #require(try TestJSON.decode(Streams.self, answer).data.first)
            #expect(told.layers.map(\.bitrate) == [2_000_000, nil, 400_000])
            #expect(told.layers.map(\.wanted) == [2_096_000, 946_000, 564_000])
            #expect(told.cores == 0.5 && told.memory == 1000 && told.written == 99)
            #expect(told.frameRate == 12 && told.frameRateWanted == 30)
        }
    }

    private struct Uploads: Decodable {
        struct File: Decodable {
            var id: String
            var reason: String?
        }
        struct Stream: Decodable {
            var id: String
        }
        var store: String?
        var filesWaiting: Int
        var filesFailing: Int
        var bytesWaiting: Int
        var isWhole: Bool
        var data: [File]
        var streams: [Stream]

        enum CodingKeys: String, CodingKey {
            case store, data, streams
            case filesWaiting = "files_waiting"
            case filesFailing = "files_failing"
            case bytesWaiting = "bytes_waiting"
            case isWhole = "all_counted"
        }
    }

    private static func uploads(
        _ client: any TestClientProtocol, _ headers: HTTPFields
    ) async throws -> Uploads {
        try TestJSON.decode(
            Uploads.self,
            try await client.execute(uri: "/admin/api/uploads", method: .get, headers: headers))
    }

    @Test func uploadsThatFailComeFirstWithTheStoresWords() async throws {
        let world = try await TestWorld()
        let files = (0..<WatchedUploads.filesMaximum).map { number in
            WatchedUploads.File(
                CatalogueAsset(
                    id: "a\(number)", stream: "s1", room: "demo", kind: .roomComposite,
                    path: "hls/\(number).mp4", byteCount: 10, createdAt: TestWorld.now),
                upload: number == 700
                    ? CatalogueUpload(
                        asset: "a700", bytesSent: 4, failures: 2, reason: "403 AccessDenied") : nil)
        }
        var stream = LiveStream(
            id: "s2", room: "demo", session: nil, createdAt: TestWorld.now, startedBy: "")
        stream.upload = LiveStream.Upload(location: "s3://a/live/demo/s2")
        let uploads = WatchedUploads(store: "s3://a/", files: files, streams: [stream])
        try await world.routes { client in
            let headers = try await Self.inside(client)
            let without = try await Self.uploads(client, headers)
            #expect(without.store == nil && without.data.isEmpty && without.isWhole)
            world.admin.state.withLock { $0.uploads = uploads }
            let told = try await Self.uploads(client, headers)
            #expect(told.data.count == WatchedUploadsBody.listedMaximum)
            #expect(told.data.prefix(2).map(\.id) == ["a700", "a0"])
            #expect(told.data[0].reason == "403 AccessDenied" && told.data[1].reason == nil)
            #expect(told.filesWaiting == 1000 && told.filesFailing == 1 && !told.isWhole)
            #expect(told.bytesWaiting == 9996)
            #expect(told.streams.map(\.id) == ["s2"])
        }
    }

    @Test func thePageIsThereAndMayNotBeFramed() async throws {
        try await TestWorld().routes { client in
            let answer = try await client.execute(uri: "/admin", method: .get)
            #expect(answer.status == .ok)
            #expect(
                answer.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
        }
    }

    @Test func theFiguresAreNoted() async throws {
        let world = try await TestWorld()
        let service = try world.service
        await service.noteFigures()
        try await Application(responder: service.responder()).test(.router) { client in
            let headers = try await Self.inside(client)
            let answer = try await client.execute(
                uri: "/admin/api/history", method: .get, headers: headers)
            #expect(
                String(buffer: answer.body)
                    == #"{"data":[{"bitrate":0,"busy":0.25,"memory":0.25,"peers":2,"streams":0,"#
                    + #""time":"2025-10-09T08:53:20.000000000Z","viewers":0}]}"#)
        }
    }
}
